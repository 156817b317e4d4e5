// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "sample/store_helpers.hpp"
#include "support/places.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/data/import.hpp"
#include "tyto/data/importers/ava_boxes.hpp"
#include "tyto/math/quantile_parts.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::filesystem::path ava_folder() {
  return testing_support::in_tree("/../shared/data/ava_kinetics");
}

void write_small_ava(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder / "ava");
  write_file(folder / "ava/ava_actions.csv",
             "action_id,name,type\n1,bend,PERSON_MOVEMENT\n2,eat,OBJECT_MANIPULATION\n"
             "3,hug,PERSON_INTERACTION\n");
  write_gz(folder / "ava/ava_kinetics_val_per_video.csv.gz",
           "youtube_id,key_frame_sec,persons,distinct_actions,person_action_pairs,mean_box_area,"
           "sum_box_area,action_ids\n"
           "v1,9.0,1,2,2,0.5,0.5,1 3\n"
           "v1,5.0,6,1,6,0.1,0.6,2\n"  // the earlier key frame of v1
           "v2,12.0,0,0,0,0.0,0.0,\n"
           "v3,3.0,2,3,4,0.2,0.4,1 2 3\n"
           "v5,3.0,1,1,1,0.2,0.2,1\n"  // an area as of v4: v4 comes first
           "v4,3.0,1,1,1,0.2,0.2,1\n");
  std::filesystem::create_directories(folder / "kinetics");
  write_gz(folder / "kinetics/kinetics_unified_partial.csv.gz",
           "youtube_id,time_start,time_end,split_kinetics700_2020,label_unified,first_dataset,"
           "split_unified\n"
           "v1,0,8,val,bending,k400,test\n"
           "v1,8,10,val,hugging,k700_2020,val\n"
           "v2,10,20,val,eating,k700_2020,val\n"
           "v3,0,10,,eating,k600,test\n"
           "v3,1,11,val,dancing,k700_2020,val\n"  // of the annotated release: meant first
           "v4,0,10,val,eating,k700_2020,val\n"
           "v4,1,11,val,dancing,k700_2020,val\n"    // as good as the other: no label
           "v5,50,60,val,eating,k700_2020,val\n");  // not around the key frame
}

TEST(AvaKinetics, takes_the_first_key_frame_and_the_clip_around_it) {
  const TestFolder folder;
  write_small_ava(folder.path());
  const Dataset data = import_dataset("ava_kinetics", folder / "ava");
  const auto& notes = data.table.annotations;
  EXPECT_THAT(data.table.id, ElementsAre("v1", "v2", "v3", "v5", "v4"));
  EXPECT_THAT(data.table.label, ElementsAre("bending", "eating", "dancing", "", ""));
  EXPECT_THAT(notes.at("activity_type"), ElementsAre("OM", "N/A", "PM+OM+PI", "PM", "PM"));
  EXPECT_THAT(notes.at("main_type"), ElementsAre("OM", "N/A", "PI", "PM", "PM"));
  EXPECT_THAT(notes.at("has_pi"), ElementsAre("no", "no", "yes", "no", "no"));
  EXPECT_THAT(notes.at("persons"), ElementsAre("5+", "0", "2", "1", "1"));
  EXPECT_THAT(notes.at("persons_exact"), ElementsAre("6", "0", "2", "1", "1"));
  EXPECT_THAT(notes.at("actions"), ElementsAre("1", "0", "3", "1", "1"));
  // 0.1 (v1), 0.2 (v3), 0.2 (v4), 0.2 (v5): ranks 0 to 3 times 3 / 4 are 0 0 1 2.
  EXPECT_THAT(notes.at("box_area"), ElementsAre("SM", "N/A", "SM", "LG", "AVG"));
  EXPECT_THAT(notes.at("mean_box_area"), ElementsAre("0.1", "", "0.2", "0.2", "0.2"));
  EXPECT_THAT(data.about.at("choices"),
              HasSubstr("1 later key frames of a video left out; 2 videos without a label"));
  EXPECT_THAT(data.about.at("importer"), HasSubstr("ava_kinetics, tyto "));
}

// v1 at 5: two people. One box bends (1) and eats (2), the other eats: areas 0.5 x 0.4 = 0.2 and
// 0.1 x 0.2 = 0.02, mean 0.11; three pairs, one of them said twice. v2: nobody. v3 at 3 and,
// written otherwise, again at 3: one person, hugging (3) and bending: area 0.25.
constexpr const char* kBoxes =
    "v1,0005,0.1,0.2,0.6,0.6,1,0\n"
    "v1,0005,0.1,0.2,0.6,0.6,2,0\n"
    "v1,0005,0.1,0.2,0.6,0.6,2,0\n"
    "v1,9.0,0,0,1,1,1,0\n"
    "v2,12.5,,,,,,\n"
    "v1,0005,0.5,0.5,0.6,0.7,2,1\n"
    "v3,3.0,0.25,0.25,0.75,0.75,3,4\n"
    "v3,3,0.25,0.25,0.75,0.75,1,0.9,4\n";

TEST(AvaKinetics, works_out_key_frames_from_the_published_boxes) {
  const TestFolder folder;
  write_file(folder / "boxes.csv", kBoxes);
  const std::vector<std::filesystem::path> lists{folder / "boxes.csv"};
  const CsvTable table = ava_key_frames(lists);
  EXPECT_THAT(table.texts(table.column("youtube_id")), ElementsAre("v1", "v1", "v2", "v3"));
  EXPECT_THAT(table.numbers(table.column("key_frame_sec")), ElementsAre(5, 9, 12.5, 3));
  EXPECT_THAT(table.counts(table.column("persons")), ElementsAre(2, 1, 0, 1));
  EXPECT_THAT(table.counts(table.column("distinct_actions")), ElementsAre(2, 1, 0, 2));
  EXPECT_THAT(table.counts(table.column("person_action_pairs")), ElementsAre(3, 1, 0, 2));
  EXPECT_THAT(table.texts(table.column("mean_box_area")),
              ElementsAre("0.110000", "1.000000", "0.000000", "0.250000"));
  EXPECT_THAT(table.texts(table.column("sum_box_area")),
              ElementsAre("0.220000", "1.000000", "0.000000", "0.250000"));
  EXPECT_THAT(table.texts(table.column("action_ids")), ElementsAre("1 2", "1", "", "1 3"));
}

TEST(AvaKinetics, imports_the_published_boxes_as_it_does_a_table_of_key_frames) {
  const TestFolder folder;
  write_small_ava(folder.path());
  std::filesystem::remove(folder / "ava/ava_kinetics_val_per_video.csv.gz");
  EXPECT_THAT(refusal([&] { import_dataset("ava_kinetics", folder / "ava"); }),
              AllOf(HasSubstr("ava_kinetics_val_per_video.csv.gz: the file is missing"),
                    HasSubstr("kinetics_val_v1.0.csv")));
  write_file(folder / "ava/kinetics_val_v1.0.csv",
             std::string("video_id,timestamp,x1,y1,x2,y2,action_id,person_id\n") + kBoxes);
  write_gz(folder / "ava/kinetics_train_v1.0.csv.gz", "v4,3,0,0,0.5,0.5,2,7\n");
  const Dataset data = import_dataset("ava_kinetics", folder / "ava");
  const auto& notes = data.table.annotations;
  EXPECT_THAT(data.table.id, ElementsAre("v4", "v1", "v2", "v3"));
  EXPECT_THAT(data.table.label, ElementsAre("", "bending", "eating", "dancing"));  // by the second
  EXPECT_THAT(notes.at("activity_type"), ElementsAre("OM", "PM+OM", "N/A", "PM+PI"));
  EXPECT_THAT(notes.at("main_type"), ElementsAre("OM", "OM", "N/A", "PI"));
  EXPECT_THAT(notes.at("persons"), ElementsAre("1", "2", "0", "1"));
  EXPECT_THAT(notes.at("mean_box_area"), ElementsAre("0.250000", "0.110000", "", "0.250000"));
}

TEST(AvaKinetics, refuses_a_malformed_row_of_boxes_by_its_line) {
  const auto problem = [](const std::string& row) {
    const TestFolder folder;
    write_file(folder / "b.csv", "v1,5,0.1,0.2,0.6,0.6,1,0\n" + row + "\n");
    const std::vector<std::filesystem::path> lists{folder / "b.csv"};
    return refusal([&] { static_cast<void>(ava_key_frames(lists)); });
  };
  EXPECT_THAT(problem("v1,5,0.1,0.2,0.6,0.6,1"), HasSubstr("b.csv: line 2 has 7 cells instead of "
                                                           "8, or 9 with a score"));
  EXPECT_THAT(problem("v1,soon,0.1,0.2,0.6,0.6,1,0"),
              HasSubstr("line 2 has \"soon\" for the timestamp, which is no number"));
  EXPECT_THAT(problem("v1,-5,0.1,0.2,0.6,0.6,1,0"), HasSubstr("before the video"));
  EXPECT_THAT(problem(",5,0.1,0.2,0.6,0.6,1,0"), HasSubstr("line 2 names no video"));
  EXPECT_THAT(problem("v1,5,0.1,,0.6,0.6,1,0"), HasSubstr("has \"\" for y1"));
  EXPECT_THAT(problem("v1,5,0.1,0.2,1.6,0.6,1,0"), HasSubstr("has x2 = 1.6, outside [0, 1]"));
  EXPECT_THAT(problem("v1,5,0.6,0.2,0.6,0.6,1,0"), HasSubstr("a box without area"));
  EXPECT_THAT(problem("v1,5,0.1,0.2,0.6,0.6,1.5,0"), HasSubstr("has the action \"1.5\""));
  EXPECT_THAT(problem("v1,5,0.1,0.2,0.6,0.6,0,0"), HasSubstr("no whole number from 1"));
  EXPECT_THAT(problem("v1,5,0.1,0.2,0.6,0.6,1,high,0"), HasSubstr("\"high\" for the score"));
  EXPECT_THAT(problem("v1,5,,,,,,"), HasSubstr("line 2 is of nobody in v1"));
  EXPECT_THAT(problem("v9,5,,,,,,\nv9,5,0.1,0.2,0.6,0.6,1,0"), HasSubstr("line 3 is of a person"));
}

TEST(AvaKinetics, names_the_file_with_the_labels) {
  const TestFolder folder;
  write_small_ava(folder.path());
  std::filesystem::remove(folder / "kinetics/kinetics_unified_partial.csv.gz");
  EXPECT_THAT(refusal([&] { import_dataset("ava_kinetics", folder / "ava"); }),
              HasSubstr("the file with the labels is missing"));
}

TEST(AvaKinetics, agrees_with_the_published_counts) {
  if (!std::filesystem::exists(ava_folder())) {
    GTEST_SKIP() << ava_folder() << " is not here";
  }
  const Dataset data = import_dataset("ava_kinetics", ava_folder());
  const auto& notes = data.table.annotations;
  EXPECT_EQ(data.table.size(), 31228);
  EXPECT_EQ(data.store->shape("features"), std::vector<Index>{5});
  EXPECT_EQ(std::count(data.table.label.begin(), data.table.label.end(), ""), 16);
  std::map<std::string, Index> thirds;
  std::map<std::string, double> low;
  for (std::size_t i = 0; i < data.table.id.size(); ++i) {
    const std::string& third = notes.at("box_area")[i];
    ++thirds[third];
    if (third != "N/A") {
      const double area = std::stod(notes.at("mean_box_area")[i]);
      low.emplace(third, area);
      low[third] = std::min(low[third], area);
    }
    ASSERT_EQ(third == "N/A", notes.at("persons")[i] == "0");
    ASSERT_EQ(third == "N/A", notes.at("activity_type")[i] == "N/A");
  }
  const auto [few, many] = std::minmax({thirds["SM"], thirds["AVG"], thirds["LG"]});
  EXPECT_LE(many - few, 1);
  EXPECT_EQ(thirds["SM"] + thirds["AVG"] + thirds["LG"], 22610);  // 26 key frames fewer than there
  EXPECT_NEAR(low["AVG"], 0.11545, 5e-4);
  EXPECT_NEAR(low["LG"], 0.36371, 5e-4);
}

TEST(AvaKinetics, cuts_key_frames_where_the_readme_says) {
  if (!std::filesystem::exists(ava_folder())) {
    GTEST_SKIP() << ava_folder() << " is not here";
  }
  const CsvTable csv = CsvTable::load(ava_folder() / "ava_kinetics_val_per_video.csv.gz");
  EXPECT_EQ(csv.rows(), 31272);
  auto areas = csv.numbers(csv.column("mean_box_area"));
  const auto persons = csv.counts(csv.column("persons"));
  for (std::size_t i = 0; i < areas.size(); ++i) {
    areas[i] = persons[i] == 0 ? std::numeric_limits<double>::quiet_NaN() : areas[i];
  }
  const auto parts = equal_count_parts(areas, 3);
  std::vector<double> high(3, 0.0);
  std::vector<Index> count(3);
  for (std::size_t i = 0; i < areas.size(); ++i) {
    if (parts[i] >= 0) {
      const auto part = static_cast<std::size_t>(parts[i]);
      high[part] = std::max(high[part], areas[i]);
      ++count[part];
    }
  }
  // The quantiles at 1/3 and 2/3 are the values of rank 22,635 / 3 = 7,545 and 15,090: the last of
  // their parts. Printed there with five digits.
  EXPECT_NEAR(high[0], 0.11545, 5e-6);
  EXPECT_NEAR(high[1], 0.36371, 5e-6);
  EXPECT_THAT(count, ElementsAre(7546, 7545, 7545));  // 22,636 in thirds
}

}  // namespace
}  // namespace tyto
