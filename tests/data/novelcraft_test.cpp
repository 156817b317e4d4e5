// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>
#include <numeric>

#include "support/places.hpp"
#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/episode_split.hpp"
#include "tyto/data/import.hpp"
#include "tyto/data/novelcraft/tables.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::Scratch;

const std::filesystem::path kNovelCraftFolder =
    testing_support::in_tree("/../shared/data/novelcraft");

class NovelCraft : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(kNovelCraftFolder)) {
      GTEST_SKIP() << "the tables of NovelCraft are not on this machine: " << kNovelCraftFolder;
    }
  }
};

void write_small(const Scratch& scratch) {
  write_file(scratch / "classes.csv",
             "class,target_index,role,paper_label\nnormal,0,normal,N\nfence,1,normal,F\n"
             "tnt,2,novel_valid,T\ntree,3,novel_test,E\nbedrock,,dropped,B\n");
  write_file(scratch / "targets.csv",
             "id,novel_percent\nfence/3/0,0.5\nfence/3/1,0.009\nfence/4/0,0\ntnt/0/0,0.01\n"
             "tree/0/0,0.2\ntree/0/1,1\ntree/1/0,0\nbedrock/0/0,1\n");
  write_file(scratch / "splits.csv",
             "episode,split,num_frames\nnormal/0,train,7\nnormal/1,test,5\nfence/3,valid,1\n");
}

TEST(NovelCraftTables, count_episodes_frames_and_those_that_show_the_object) {
  const Scratch scratch;
  write_small(scratch);
  const auto counts = novelcraft_splits(read_novelcraft_tables(scratch.path()));
  const auto row = [&](std::size_t i) {
    const NovelCraftCount& c = counts[i];
    return std::vector<Index>{c.episodes, c.with_visible, c.frames, c.frames_with_visible,
                              c.visible};
  };
  EXPECT_EQ(row(0), (std::vector<Index>{1, 1, 7, 7, 7}));  // train, normal
  EXPECT_EQ(row(1), (std::vector<Index>{1, 1, 2, 2, 1}));  // validate: 0.009 is too little
  EXPECT_EQ(row(2), (std::vector<Index>{1, 1, 1, 1, 1}));  // novel: 0.01 is enough
  EXPECT_EQ(row(3), (std::vector<Index>{1, 1, 5, 5, 5}));
  EXPECT_EQ(row(4), (std::vector<Index>{2, 1, 3, 2, 2}));
}

TEST(NovelCraftTables, name_the_line_of_what_cannot_be) {
  const Scratch scratch;
  const auto refusal = [&](const char* file, const std::string& text) {
    write_small(scratch);
    write_file(scratch / file, text);
    try {
      read_novelcraft_tables(scratch.path());
    } catch (const Error& problem) {
      return std::string(problem.what());
    }
    return std::string("was taken");
  };
  EXPECT_THAT(refusal("targets.csv", "id,novel_percent\nfence/3,0\n"),
              HasSubstr("line 2, column \"id\": \"fence/3\" is not class/episode/frame"));
  EXPECT_THAT(refusal("targets.csv", "id,novel_percent\ndragon/3/0,0\n"),
              HasSubstr("classes.csv does not list \"dragon\""));
  EXPECT_THAT(refusal("targets.csv", "id,novel_percent\nfence/3/0,50\n"),
              HasSubstr("50 is not a share from 0 to 1"));
  EXPECT_THAT(refusal("targets.csv", "id,novel_percent\nfence/3/0,0\nfence/3/0,0\n"),
              HasSubstr("line 3"));
  EXPECT_THAT(refusal("splits.csv", "episode,split,num_frames\nfence/3,valid,2\n"),
              HasSubstr("but targets.csv has 1"));
  EXPECT_THAT(refusal("splits.csv", "episode,split,num_frames\nfence/3,holdout,1\n"),
              HasSubstr("\"holdout\""));
  EXPECT_THAT(refusal("classes.csv", "class,role\nfence,strange\n"), HasSubstr("\"strange\""));
}

// Table 2 of the paper as the release gives it. Of the last row the paper prints 440 episodes and
// 20988 frames, which do not follow from its tables.
TEST_F(NovelCraft, tables_give_table_2) {
  const auto counts = novelcraft_splits(read_novelcraft_tables(kNovelCraftFolder));
  const std::vector<std::vector<Index>> expected{
      {165, 9707, 7037}, {21, 1154, 873}, {50, 2520, 332}, {21, 1194, 890}, {530, 26285, 3530}};
  ASSERT_EQ(counts.size(), expected.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_EQ((std::vector<Index>{counts[i].episodes, counts[i].frames, counts[i].visible}),
              expected[i])
        << i;
  }
  EXPECT_EQ(counts[4].with_visible, 475);
  EXPECT_EQ(counts[4].frames_with_visible, 23700);
}

// Table A.2: 54 classes besides `normal`, 8185 frames that count in all.
TEST_F(NovelCraft, tables_give_what_is_known_of_table_a2) {
  std::map<std::string, NovelCraftClassCount> by_class;
  Index frames = 0;
  for (const auto& count : novelcraft_classes(read_novelcraft_tables(kNovelCraftFolder))) {
    by_class[count.class_name] = count;
    frames += count.class_name == "normal" ? 0 : count.visible;
  }
  EXPECT_EQ(by_class.size(), 55U);
  EXPECT_EQ(frames, 8185);
  EXPECT_EQ(by_class["fence"].episodes, 80);
  EXPECT_EQ(by_class["fence"].visible, 2865 + 355 + 361);
  EXPECT_EQ(by_class["item_anvil"].visible, 78 + 8 + 11);
  EXPECT_EQ(by_class["item_sand"].visible, 92 + 9 + 15);
  EXPECT_EQ(by_class["item_coal_block"].visible, 85 + 12 + 12);
  EXPECT_EQ(by_class["item_coal_block"].episodes, 8);
  EXPECT_EQ(by_class["item_quartz_block"].visible, 72);
  EXPECT_EQ(by_class["item_obsidian"].visible, 63);
  EXPECT_EQ(by_class["item_prismarine"].visible, 74);
  EXPECT_EQ(by_class["item_tnt"].visible, 52);
  EXPECT_EQ(by_class["item_sea_lantern"].visible, 71);
}

TEST_F(NovelCraft, is_imported_with_the_released_scores_as_features) {
  const Dataset dataset = import_dataset("novelcraft", kNovelCraftFolder);
  EXPECT_EQ(dataset.name, "novelcraft_scores");
  EXPECT_EQ(dataset.table.size(), 1205 + 4420);
  EXPECT_EQ(dataset.store->rows(), 1205 + 4420);
  EXPECT_EQ(dataset.store->shape("features"),
            std::vector<Index>{6});  // ae_patch_plus was not released whole
  EXPECT_EQ(std::count(dataset.table.split.begin(), dataset.table.split.end(), "test"), 4420);
  const auto& novel = dataset.table.annotations.at("novel");
  EXPECT_EQ(std::count(novel.begin(), novel.end(), "1"), 332 + 3530);
  EXPECT_EQ(dataset.table.group.front(), "fence/22");
  EXPECT_THAT(dataset.about.at("left_out"), HasSubstr("ae_patch_plus"));
  EXPECT_THAT(dataset.about.at("table2_test_novel"), HasSubstr("530 episodes (475 with"));
}

TEST_F(NovelCraft, is_imported_with_every_frame_that_counts) {
  const Dataset dataset = import_dataset("novelcraft", kNovelCraftFolder, "frames");
  // Of Table 2 without the class normal, whose frames no table names, and without item_bedrock.
  EXPECT_EQ(dataset.table.size(), 7037 + 873 + 332 + 890 + 3530 - (3917 + 489 + 491));
  EXPECT_EQ(dataset.table.size(), 8185 - 420);
}

TEST(EpisodeSplit, keeps_episodes_whole_and_comes_near_the_shares) {
  const std::vector<Index> frames{30, 10, 10, 20, 10, 10, 10, 10, 10, 80};
  const EpisodeSplit split = split_episodes(frames, {{0.8, 0.1, 0.1}, 100}, Rng(1, "split"));
  std::vector<Index> episodes(3), got(3);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    ++episodes[static_cast<std::size_t>(split.part[i])];
    got[static_cast<std::size_t>(split.part[i])] += frames[i];
  }
  EXPECT_EQ(episodes, (std::vector<Index>{8, 1, 1}));
  double error = 0;
  for (std::size_t part = 0; part < 3; ++part) {
    error += std::abs(1 - static_cast<double>(got[part]) / (part == 0 ? 160.0 : 20.0));
  }
  EXPECT_NEAR(split.error, error, 1e-12);
  // The best there is: 20 and 10 frames in the small parts, 170 in the first.
  EXPECT_LE(split.error, 0.5 + 10.0 / 160.0 + 1e-12);
  EXPECT_EQ(split_episodes(frames, {}, Rng(1, "split")).part, split.part);
}

TEST(EpisodeSplit, is_never_worse_for_more_tries) {
  std::vector<Index> frames(40);
  std::iota(frames.begin(), frames.end(), Index{5});
  double last = 10;
  for (const Index tries : {1, 5, 25, 125}) {
    const double error = split_episodes(frames, {{0.5, 0.25, 0.25}, tries}, Rng(3, "s")).error;
    EXPECT_LE(error, last);
    last = error;
  }
  EXPECT_LT(last, 0.1);
}

TEST(EpisodeSplit, refuses_what_cannot_be_dealt) {
  EXPECT_THROW(split_episodes(std::vector<Index>{1, 2}, {}, Rng(1)), Error);
  EXPECT_THROW(split_episodes(std::vector<Index>{1, 2, 3}, {{0.5, 0.4}, 10}, Rng(1)), Error);
  EXPECT_THROW(split_episodes(std::vector<Index>{0, 0, 0, 0}, {}, Rng(1)), Error);
}

// 100 tries find a split of the released kind: as many episodes of each part, and an error as small
// or, of the ten episodes of item_anvil, smaller.
TEST_F(NovelCraft, split_of_the_release_is_what_the_search_finds) {
  const CsvTable csv = CsvTable::load(kNovelCraftFolder / "splits.csv");
  std::map<std::string, std::vector<Index>> frames;
  std::map<std::string, std::array<double, 3>> released;
  std::map<std::string, std::vector<Index>> episodes;
  for (Index row = 0; row < csv.rows(); ++row) {
    const std::string id(csv.text(row, 0));
    const std::string name = id.substr(0, id.find('/'));
    const std::string_view split = csv.text(row, 1);
    const std::size_t part = split == "train" ? 0 : split == "valid" ? 1 : 2;
    const Index count = csv.counts(2)[static_cast<std::size_t>(row)];
    frames[name].push_back(count);
    released[name][part] += static_cast<double>(count);
    episodes[name].resize(3);
    ++episodes[name][part];
  }
  ASSERT_EQ(frames.size(), 5U);
  for (const auto& [name, counts] : frames) {
    const EpisodeSplit found = split_episodes(counts, {}, Rng(42, name));
    std::vector<Index> parts(3);
    for (const Index part : found.part) {
      ++parts[static_cast<std::size_t>(part)];
    }
    EXPECT_EQ(parts, episodes[name]) << name;
    const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
    double error = 0;
    for (std::size_t part = 0; part < 3; ++part) {
      error += std::abs(1 - released[name][part] / (all * (part == 0 ? 0.8 : 0.1)));
    }
    EXPECT_LE(found.error, error + 0.05) << name;
  }
}

}  // namespace
}  // namespace tyto
