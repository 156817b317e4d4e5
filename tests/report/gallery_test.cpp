// SPDX-License-Identifier: Apache-2.0
// The sections that show single samples: the map and the gallery.
#include "tyto/report/page/pictures/gallery.hpp"

#include <set>

#include "support/page_reader.hpp"
#include "tiny_page.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/report/page/map/spread_sample.hpp"
#include "tyto/report/page/page.hpp"
#include "tyto/report/page/pictures/base64.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::section_of;
using testing_support::tiny_source;
using Sheet = nlohmann::json;

Sheet sheet_of(const PageSource& source) {
  Progress quiet;
  return Sheet::parse(page_json(source, quiet).dump());
}

// Features (id, id^2), the same for every caller.
Matrix tiny_features(std::span<const SampleId> samples) {
  Matrix rows(static_cast<Index>(samples.size()), 2);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto id = static_cast<float>(samples[i]);
    rows.row(static_cast<Index>(i)) << id, id * id;
  }
  return rows;
}

TEST(SpreadSample, takes_all_where_there_are_few_and_small_classes_in_any_case) {
  const Rng rng(1, "test");
  EXPECT_THAT(spread_sample({"b", "a", "b"}, 3, rng), ElementsAre(0, 1, 2));
  std::vector<std::string> labels(900, "large");
  labels.insert(labels.end(), 98, "middle");
  labels.insert(labels.end(), {"small", "small"});
  // 40 places: 40 / 4 / 3 = 3 each (small has 2), 32 left for the 897 + 95 others: 28.9 and 3.06,
  // so 28 and 3 and the one that is left to the larger remainder.
  const auto chosen = spread_sample(labels, 40, rng);
  EXPECT_EQ(chosen.size(), 40u);
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  EXPECT_EQ(std::set<Index>(chosen.begin(), chosen.end()).size(), 40u);
  std::map<std::string, int> counts;
  for (const Index at : chosen) {
    ++counts[labels[static_cast<std::size_t>(at)]];
  }
  EXPECT_EQ(counts["large"], 32);
  EXPECT_EQ(counts["middle"], 6);
  EXPECT_EQ(counts["small"], 2);
  EXPECT_EQ(spread_sample(labels, 40, rng), chosen);
  EXPECT_NE(spread_sample(labels, 40, Rng(2, "test")), chosen);
}

TEST(SpreadSample, bears_more_classes_than_places) {
  std::vector<std::string> labels;
  for (int i = 0; i < 50; ++i) {
    labels.push_back("c" + std::to_string(i));
  }
  EXPECT_EQ(spread_sample(labels, 7, Rng(1, "test")).size(), 7u);
}

TEST(Gallery, puts_every_kind_on_its_shelf) {
  Progress quiet;
  const auto record = testing_support::tiny_record();
  const auto shelves = gallery_of(*record, 24, 12, quiet);
  std::vector<std::string> told;
  for (const GalleryShelf& shelf : shelves) {
    for (const GalleryItem& item : shelf.items) {
      told.push_back(shelf.kind + " " + item.name + " " + item.truth + ">" + item.top[0].first);
    }
  }
  EXPECT_THAT(told, ElementsAre("alarm s4 c>discovered_0", "false alarm s3 b>unknown",
                                "miss s5 c>b", "discovered s4 c>discovered_0"));
  EXPECT_EQ(shelves.back().title, "discovered_0");
  EXPECT_FLOAT_EQ(static_cast<float>(*shelves.front().items.front().novelty), 0.9F);
  EXPECT_FALSE(shelves.front().items.front().p_value.has_value());
}

// 40 alarms with the scores 0, 1, ..., 19 twice each: the two of 19 first, by name.
TEST(Gallery, keeps_the_most_extreme_and_breaks_ties_by_name) {
  Truth truth;
  std::vector<testing_support::TinyRow> rows;
  for (int i = 0; i < 40; ++i) {
    truth.label.push_back("c");
    truth.name.push_back("s" + std::to_string(99 - i));
    rows.push_back({i, "unknown", static_cast<float>(i / 2)});
  }
  MemoryRecord record(truth);
  record.add(testing_support::tiny_phase({1, "pre", "test"}, rows));
  Progress quiet;
  const auto shelves = gallery_of(record, 3, 12, quiet);
  ASSERT_EQ(shelves.size(), 1u);
  EXPECT_EQ(shelves[0].samples, 40);
  ASSERT_EQ(shelves[0].items.size(), 3u);
  EXPECT_EQ(shelves[0].items[0].name, "s60");  // of 39 and 38: s60 and s61
  EXPECT_EQ(shelves[0].items[1].name, "s61");
  EXPECT_EQ(shelves[0].items[2].name, "s62");  // of 37 and 36
}

TEST(SamplesSection, shows_pictures_that_fit_and_says_what_was_left_out) {
  PageSource source = tiny_source();
  source.runs[0].samples.picture = [](const PictureWish& wish) -> std::optional<SamplePicture> {
    EXPECT_EQ(wish.most_bytes, 20'000u);
    switch (static_cast<int>(wish.sample)) {
      case 4: return SamplePicture{"\x89PNG", 1, true};
      case 3: return SamplePicture{"\xff\xd8jpeg", 6, false};
      case 5: return SamplePicture{};  // too large
      default: return std::nullopt;
    }
  };
  const Sheet page = sheet_of(source);
  const Sheet samples = section_of(page, "samples");
  const Sheet& media = page.at("media");
  ASSERT_EQ(media.size(), 2u);
  EXPECT_EQ(media[0].at("uri"), "data:image/png;base64," + base64("\x89PNG"));
  EXPECT_EQ(media[0].at("sample"), "s4");
  EXPECT_EQ(media[0].at("frames"), 1);
  EXPECT_EQ(media[0].at("drawn"), true);
  EXPECT_EQ(media[1].at("uri"), "data:image/jpeg;base64," + base64("\xff\xd8jpeg"));
  EXPECT_EQ(media[1].at("frames"), 6);
  const Sheet& shelves = samples.at("shelves");
  ASSERT_EQ(shelves.size(), 4u);
  EXPECT_EQ(shelves[0].at("kind"), "alarm");
  EXPECT_EQ(shelves[0].at("items")[0].at("media"), 0);
  EXPECT_EQ(shelves[3].at("items")[0].at("media"), 0);  // the same sample, told once
  EXPECT_EQ(shelves[1].at("items")[0].at("media"), 1);
  EXPECT_TRUE(shelves[2].at("items")[0].at("media").is_null());
  EXPECT_THAT(shelves[2].at("about").get<std::string>(),
              HasSubstr("1 of 1. 1 picture was left out"));
  const Sheet item = shelves[0].at("items")[0];
  EXPECT_EQ(item.at("sample"), "s4");
  EXPECT_EQ(item.at("step"), 1);
  EXPECT_EQ(page.at("names")[item.at("truth").get<std::size_t>()], "c");
  EXPECT_EQ(page.at("names")[item.at("top")[0][0].get<std::size_t>()], "discovered_0");
  EXPECT_EQ(item.at("top")[0][1], 0.5);
  EXPECT_EQ(item.at("novelty"), 0.9);
  EXPECT_TRUE(item.at("p_value").is_null());
}

TEST(SamplesSection, does_without_pictures_when_the_data_are_gone) {
  PageSource source = tiny_source();
  int asked = 0;
  source.runs[0].samples.picture = [&](const PictureWish&) -> std::optional<SamplePicture> {
    ++asked;
    throw Error(ErrorKind::data, "gone");
  };
  const Sheet page = sheet_of(source);
  EXPECT_TRUE(page.at("media").empty());
  EXPECT_EQ(section_of(page, "samples").at("shelves").size(), 4u);
  EXPECT_EQ(asked, 1);
}

TEST(SpaceSection, lays_out_test_samples_with_what_was_made_of_them) {
  PageSource source = tiny_source();
  source.runs[0].samples.features = tiny_features;
  const Sheet page = sheet_of(source);
  const Sheet map = section_of(page, "space").at("maps").at(0);
  EXPECT_THAT(map.at("sample"), ElementsAre("s2", "s3", "s4", "s5"));
  EXPECT_THAT(map.at("step"), ElementsAre(1, 1, 1, 1));
  EXPECT_EQ(map.at("note"), "all 4 test samples; 2 features, each standardised.");
  ASSERT_EQ(map.at("layouts").size(), 2u);
  EXPECT_EQ(map.at("layouts")[1].at("name"), "pca");
  const auto x = map.at("layouts")[1].at("x").get<std::vector<double>>();
  ASSERT_EQ(x.size(), 4u);
  EXPECT_TRUE(std::is_sorted(x.begin(), x.end()) || std::is_sorted(x.rbegin(), x.rend()));
  EXPECT_EQ(map.at("layouts")[0].at("y").size(), 4u);
  const Sheet seen = map.at("seen").at(0);
  EXPECT_EQ(seen.at("arm"), 0);
  EXPECT_THAT(seen.at("novel"), ElementsAre(false, false, true, true));
  EXPECT_THAT(seen.at("novelty"), ElementsAre(0.1, 0.8, 0.9, 0.2));
  std::vector<std::string> labels, truth;
  for (std::size_t i = 0; i < 4; ++i) {
    labels.push_back(page.at("names")[seen.at("label")[i].get<std::size_t>()]);
    truth.push_back(page.at("names")[map.at("truth")[i].get<std::size_t>()]);
  }
  EXPECT_THAT(labels, ElementsAre("a", "unknown", "discovered_0", "b"));
  EXPECT_THAT(truth, ElementsAre("a", "b", "c", "c"));
  EXPECT_EQ(sheet_of(source).dump(), page.dump());
}

// 40 samples that the gallery does not show, since all are right.
TEST(SpaceSection, brings_pictures_for_its_tips_only_if_all_of_them_are_small) {
  Truth truth;
  std::vector<testing_support::TinyRow> rows;
  for (int i = 0; i < 40; ++i) {
    truth.label.push_back("a");
    truth.name.push_back("s" + std::to_string(i));
    rows.push_back({i, "a"});
  }
  const auto record = std::make_shared<MemoryRecord>(truth);
  record->add(testing_support::tiny_phase({1, "pre", "test"}, rows));
  for (const std::size_t size : {7'500U, 7'501U}) {  // 300 kB in all, and more
    PageSource source = tiny_source();
    source.arms[0].seeds = {{0, record}};
    source.runs[0].samples.features = tiny_features;
    source.runs[0].samples.picture = [&](const PictureWish& wish) {
      return SamplePicture{std::string(size, static_cast<char>(wish.sample)), 1, false};
    };
    EXPECT_EQ(sheet_of(source).at("media").size(), size == 7'500U ? 40u : 0u);
  }
}

TEST(SpaceSection, leaves_out_an_arm_that_has_not_come_as_far) {
  PageSource source = tiny_source();
  source.runs[0].samples.features = tiny_features;
  source.runs[0].done = false;
  auto behind = std::make_shared<MemoryRecord>(testing_support::tiny_truth());
  behind->add(testing_support::tiny_phase({0, "post", "test"}, {{0, "a"}, {1, "b"}}));
  PageArm arm = testing_support::tiny_arm();
  arm.number = 1;
  arm.name = "slow";
  arm.seeds = {{0, behind}};
  source.arms.insert(source.arms.begin(), arm);
  const Sheet map = section_of(sheet_of(source), "space").at("maps").at(0);
  EXPECT_EQ(map.at("seen").size(), 1u);
  EXPECT_THAT(map.at("note").get<std::string>(), HasSubstr("slow has not seen all of them yet"));
}

TEST(SpaceSection, is_left_out_when_the_data_are_gone) {
  PageSource source = tiny_source();
  source.runs[0].samples.features = [](std::span<const SampleId>) -> Matrix {
    throw Error(ErrorKind::data, "gone");
  };
  const Sheet sheet = sheet_of(source);
  for (const Sheet& section : sheet.at("sections")) {
    EXPECT_NE(section.at("kind"), "space");
  }
}

}  // namespace
}  // namespace tyto
