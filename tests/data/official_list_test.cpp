// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/importers/official_list.hpp"

#include <algorithm>
#include <set>

#include "sample/store_helpers.hpp"
#include "support/places.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/data/import.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::filesystem::path kLists =
    testing_support::in_tree("/../shared/data/ucf101_hmdb51_splits");
const std::filesystem::path kDrives = testing_support::in_tree("/../shared/data/drive_and_act");

void write_hmdb_lists(const TestFolder& folder) {
  write_file(folder / "wave_test_split1.txt",
             "Film_a_wave_u_0.avi 1\nFilm_a_wave_u_1.avi 2 \n\nB_wave_f_0.avi 0\n");
  write_file(folder / "wave_test_split2.txt",
             "Film_a_wave_u_0.avi 1\nFilm_a_wave_u_1.avi 1\nB_wave_f_0.avi 2\n");
  write_file(folder / "sit_test_split1.txt", "Film_a_sit_u_0.avi 1\r\n");
}

// Rows in an order of their own, one of them of no listed video; of B_wave_f_0 there is none.
void write_features(const std::filesystem::path& place) {
  make_folder(place);
  write_file(place / "dataset.yaml",
             "summary: a small network\nabout: {network: tiny}\nindex: index.csv\n"
             "features:\n  - {source: features, columns: [x]}\n"
             "  - {source: logits, columns: [y]}\n");
  write_file(
      place / "index.csv",
      "id,x,y\nFilm_a_wave_u_1,1,10\nstray,2,20\nFilm_a_sit_u_0,3,30\nFilm_a_wave_u_0,4,40\n");
}

std::vector<float> column_of(const Dataset& data, std::string_view source) {
  std::vector<Index> rows;
  for (Index i = 0; i < data.store->rows(); ++i) {
    rows.push_back(i);
  }
  Matrix values(data.store->rows(), 1);
  data.store->gather(source, rows, values);
  return {values.data(), values.data() + values.size()};
}

TEST(OfficialLists, of_hmdb51_tell_films_and_splits) {
  const TestFolder folder;
  write_hmdb_lists(folder);
  const IndexTable table = find_importer("hmdb51").list(folder.path());
  EXPECT_THAT(table.id,
              ElementsAre("Film_a_sit_u_0", "Film_a_wave_u_0", "Film_a_wave_u_1", "B_wave_f_0"));
  EXPECT_THAT(table.label, ElementsAre("sit", "wave", "wave", "wave"));
  EXPECT_THAT(table.group, ElementsAre("sit: Film_a", "wave: Film_a", "wave: Film_a", "wave: B"));
  EXPECT_EQ(table.source[0], "sit/Film_a_sit_u_0.avi");
  EXPECT_THAT(table.annotations.at("split1"), ElementsAre("train", "train", "test", ""));
  EXPECT_THAT(table.annotations.at("split2"), ElementsAre("", "train", "train", "test"));
  EXPECT_FALSE(table.annotations.contains("split3"));  // no list told of it
}

TEST(OfficialLists, as_a_table_have_a_column_per_split) {
  const TestFolder folder;
  write_hmdb_lists(folder);
  EXPECT_EQ(list_csv("hmdb51", folder.path()),
            "id,video,label,group,split1,split2\n"
            "Film_a_sit_u_0,sit/Film_a_sit_u_0.avi,sit,sit: Film_a,train,\n"
            "Film_a_wave_u_0,wave/Film_a_wave_u_0.avi,wave,wave: Film_a,train,train\n"
            "Film_a_wave_u_1,wave/Film_a_wave_u_1.avi,wave,wave: Film_a,test,train\n"
            "B_wave_f_0,wave/B_wave_f_0.avi,wave,wave: B,,test\n");
  EXPECT_THAT(refusal([&] { list_csv("wisdm51", folder.path()); }),
              HasSubstr("wisdm51 has no list of videos; those that do: drive_and_act_chunks, "
                        "hmdb51, novelcraft, ucf101"));
}

TEST(OfficialLists, meet_their_features_by_id) {
  const TestFolder folder;
  write_hmdb_lists(folder);
  write_features(folder / "features");
  const Dataset data = import_dataset("hmdb51", folder.path(), "split1");
  EXPECT_EQ(data.name, "hmdb51_split1");
  EXPECT_THAT(data.table.id, ElementsAre("Film_a_sit_u_0", "Film_a_wave_u_0", "Film_a_wave_u_1"));
  EXPECT_THAT(data.table.split, ElementsAre("train", "train", "test"));
  EXPECT_THAT(column_of(data, "features"), ElementsAre(3, 4, 1));
  EXPECT_THAT(column_of(data, "logits"), ElementsAre(30, 40, 10));
  EXPECT_THAT(data.about.at("left out"), HasSubstr("1 of 4 samples have no features"));
  EXPECT_THAT(data.about.at("left out"), HasSubstr("belong to no sample: stray"));
  EXPECT_EQ(data.about.at("network"), "tiny");
  EXPECT_THAT(data.about.at("importer"), HasSubstr("hmdb51 split1"));
}

TEST(OfficialLists, divide_a_group_that_their_split_tears) {
  const TestFolder folder;
  write_hmdb_lists(folder);
  write_features(folder / "features");
  const Dataset torn = import_dataset("hmdb51", folder.path(), "split1");
  EXPECT_THAT(torn.table.group,
              ElementsAre("sit: Film_a", "wave: Film_a (train)", "wave: Film_a (test)"));
  EXPECT_THAT(torn.about.at("groups"), HasSubstr("one group on both sides"));
  EXPECT_THAT(torn.about.at("groups"), HasSubstr("wave: Film_a"));
  const Dataset whole = import_dataset("hmdb51", folder.path(), "split2");
  EXPECT_THAT(whole.table.group, ElementsAre("sit: Film_a", "wave: Film_a", "wave: Film_a"));
  EXPECT_FALSE(whole.about.contains("groups"));
}

// A network tuned on one split has seen the test videos of another.
TEST(OfficialLists, take_features_of_their_own_split_first) {
  const TestFolder folder;
  write_hmdb_lists(folder);
  write_features(folder / "features");
  write_features(folder / "features_split2");
  write_file(folder / "features_split2/index.csv", "id,x,y\nFilm_a_wave_u_0,7,70\n");
  EXPECT_THAT(column_of(import_dataset("hmdb51", folder.path(), "split2"), "features"),
              ElementsAre(7));
  EXPECT_THAT(column_of(import_dataset("hmdb51", folder.path(), "split1"), "features"),
              ElementsAre(3, 4, 1));
}

TEST(OfficialLists, keep_runs_of_frames_together) {
  const TestFolder folder;
  write_hmdb_lists(folder);
  make_folder(folder / "features");
  write_file(folder / "features/dataset.yaml",
             "index: index.csv\nfeatures:\n  - {source: features, file: f.bin, width: 1}\n");
  write_file(folder / "features/index.csv", "id,frames\nFilm_a_wave_u_1,2\nFilm_a_sit_u_0,3\n");
  const std::vector<float> frames{1, 2, 3, 4, 5};
  write_file(folder / "features/f.bin",
             {reinterpret_cast<const char*>(frames.data()), frames.size() * sizeof(float)});
  const Dataset data = import_dataset("hmdb51", folder.path(), "split1");
  EXPECT_THAT(data.table.frames, ElementsAre(3, 2));
  EXPECT_THAT(column_of(data, "features"), ElementsAre(3, 4, 5, 1, 2));
}

TEST(OfficialLists, without_features_say_how_to_make_them) {
  const TestFolder folder;
  write_hmdb_lists(folder);
  const auto problem = [&](std::string_view variant) {
    return refusal([&] { import_dataset("hmdb51", folder.path(), variant); });
  };
  EXPECT_THAT(problem("split1"), HasSubstr("neither features_split1 nor features in it is a "
                                           "dataset; `tyto data lists hmdb51 "));
  EXPECT_THAT(problem("split3"), HasSubstr("has no lists of split3"));
}

TEST(OfficialLists, that_break_a_rule_are_refused) {
  const auto problem = [](const std::string& name, const std::string& text) {
    const TestFolder folder;
    write_hmdb_lists(folder);
    write_file(folder / name, text);
    return refusal([&] { find_importer("hmdb51").list(folder.path()); });
  };
  EXPECT_THAT(problem("wave_test_split3.txt", "Film_a_wave_u_0.avi 3\n"),
              HasSubstr("is no line like NAME.avi 1"));
  EXPECT_THAT(problem("wave_test_split3.txt", "Film_a_wave_u_0.avi\n"),
              HasSubstr("is no line like NAME.avi 1"));
  EXPECT_THAT(problem("wave_test_split3.txt", "Film_a_sit_u_0.avi 1\n"),
              HasSubstr("\"Film_a_sit_u_0\" does not name its class wave"));
  EXPECT_THAT(problem("wave_test_split3.txt", "a_wave_0.avi 1\na_wave_0.avi 2\n"),
              HasSubstr("a_wave_0 stands in the lists of split3 twice"));
  const TestFolder empty;
  EXPECT_THAT(refusal([&] { find_importer("hmdb51").list(empty.path()); }),
              HasSubstr("is this the right folder?"));
}

TEST(OfficialLists, of_ucf101_are_read_as_published) {
  const TestFolder folder;
  for (const auto* number : {"1", "2", "3"}) {
    const bool first = std::string_view(number) == "1";
    write_file(folder / (std::string("trainlist0") + number + ".txt"),
               first ? "HandstandPushups/v_HandStandPushups_g08_c01.avi 37\r\n"
                     : "Archery/v_Archery_g01_c02.avi 3\n");
    write_file(folder / (std::string("testlist0") + number + ".txt"),
               first ? "Archery/v_Archery_g01_c02.avi\n"
                     : "HandstandPushups/v_HandStandPushups_g08_c01.avi\n");
  }
  const IndexTable table = find_importer("ucf101").list(folder.path());
  EXPECT_THAT(table.id, ElementsAre("v_HandStandPushups_g08_c01", "v_Archery_g01_c02"));
  EXPECT_THAT(table.label, ElementsAre("HandstandPushups", "Archery"));
  EXPECT_THAT(table.group, ElementsAre("HandstandPushups_g08", "Archery_g01"));
  EXPECT_EQ(table.source[0], "HandstandPushups/v_HandStandPushups_g08_c01.avi");
  EXPECT_THAT(table.annotations.at("split1"), ElementsAre("train", "test"));
  EXPECT_THAT(table.annotations.at("split3"), ElementsAre("test", "train"));
  write_file(folder / "testlist02.txt", "Archery/Archery_1.avi\n");
  EXPECT_THAT(refusal([&] { find_importer("ucf101").list(folder.path()); }),
              HasSubstr("\"Archery_1\" is not called like"));
}

constexpr const char* kChunkHeading =
    "participant_id,file_id,annotation_id,frame_start,frame_end,activity,chunk_id\n";

TEST(OfficialLists, of_drive_and_act_give_chunks_of_videos) {
  const TestFolder folder;
  write_file(folder / "midlevel.chunks_90.split_0.train.csv",
             std::string(kChunkHeading) + "1,vp1/a,1,0,45,eating,0\n1,vp1/a,1,45,90,eating,1\n");
  write_file(folder / "midlevel.chunks_90.split_0.val.csv",
             std::string(kChunkHeading) + "2,vp2/b,4,10,40,eating,0\n");
  write_file(folder / "midlevel.chunks_90.split_2.test.csv",
             std::string(kChunkHeading) + "1,vp1/a,1,45,90,eating,1\n");
  EXPECT_EQ(list_csv("drive_and_act_chunks", folder.path()),
            "id,video,start,end,label,group,split0,split2\n"
            "vp1/a:1:0,vp1/a.mp4,0,45,eating,vp1,train,\n"
            "vp1/a:1:1,vp1/a.mp4,45,90,eating,vp1,train,test\n"
            "vp2/b:4:0,vp2/b.mp4,10,40,eating,vp2,validate,\n");
  write_file(folder / "midlevel.chunks_90.split_2.test.csv",
             std::string(kChunkHeading) + "1,vp1/a,1,45,91,eating,1\n");
  EXPECT_THAT(refusal([&] { list_csv("drive_and_act_chunks", folder.path()); }),
              HasSubstr("in other frames"));
}

TEST(OfficialLists, of_the_shared_data_have_their_published_counts) {
  if (!std::filesystem::is_directory(kLists) || !std::filesystem::is_directory(kDrives)) {
    GTEST_SKIP() << "the shared lists are not at " << kLists << " and " << kDrives;
  }
  const auto count = [](const IndexTable& table, const std::string& split, const char* side) {
    const auto& words = table.annotations.at(split);
    return std::count(words.begin(), words.end(), side);
  };
  const auto classes = [](const IndexTable& table) {
    return std::set(table.label.begin(), table.label.end()).size();
  };
  const IndexTable ucf = find_importer("ucf101").list(kLists);
  EXPECT_EQ(ucf.size(), 13'320);
  EXPECT_EQ(classes(ucf), 101U);
  EXPECT_EQ(std::set(ucf.group.begin(), ucf.group.end()).size(), 2525U);  // 25 of each class
  EXPECT_EQ(count(ucf, "split1", "train"), 9537);
  EXPECT_EQ(count(ucf, "split2", "test"), 3734);
  EXPECT_EQ(count(ucf, "split3", "train"), 9624);
  const IndexTable hmdb = find_importer("hmdb51").list(kLists);
  EXPECT_EQ(classes(hmdb), 51U);
  for (const auto* split : {"split1", "split2", "split3"}) {
    EXPECT_EQ(count(hmdb, split, "train"), 51 * 70) << split;
    EXPECT_EQ(count(hmdb, split, "test"), 51 * 30) << split;
  }
  const IndexTable chunks = find_importer("drive_and_act_chunks").list(kDrives);
  EXPECT_EQ(chunks.size(), 8864);
  EXPECT_EQ(classes(chunks), 34U);
  EXPECT_EQ(count(chunks, "split0", "train"), 6642);
  EXPECT_EQ(count(chunks, "split0", "test"), 2222);
}

}  // namespace
}  // namespace tyto
