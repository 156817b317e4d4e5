// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
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

constexpr const char* kDriveHeading =
    "split,file_id,annotation_id,chunk_id,frame_start,frame_end,class_id,centre_pred,centre_conf,"
    "p0,p1\n";

void write_drives(const TestFolder& folder, const std::string& rows,
                  const std::string& classes = "1,eating\n0,drinking\n") {
  write_file(folder / "classes.csv", "class_id,activity\n" + classes);
  write_gz(folder / "i3d_chunk_probabilities.csv.gz", kDriveHeading + rows);
}

TEST(DriveAndAct, calls_the_videos_of_the_training_validate) {
  const TestFolder folder;
  write_drives(folder,
               "test,vp1/a,1,0,5,9,1,1,1.0,0.25,0.75\n"
               "train,vp2/b,1,0,5,9,0,1,0.5,1.0,0.0\n");
  const Dataset data = import_dataset("drive_and_act", folder.path());
  EXPECT_THAT(data.table.id, ElementsAre("vp1/a:1:0", "vp2/b:1:0"));
  EXPECT_THAT(data.table.label, ElementsAre("eating", "drinking"));
  EXPECT_THAT(data.table.split, ElementsAre("test", "validate"));
  EXPECT_THAT(data.table.group, ElementsAre("vp1/a", "vp2/b"));
  EXPECT_THAT(data.table.annotations.at("frame_end"), ElementsAre("9", "9"));
  EXPECT_FALSE(data.table.annotations.contains("p0"));
  EXPECT_THAT(data.summary, HasSubstr("validate are the two drives it was trained on"));
  EXPECT_THAT(data.about.at("prior_knowledge"), HasSubstr("too low"));
  Matrix expected(2, 2);
  expected << std::log(0.25F), std::log(0.75F), 0, -103;
  const std::vector<Index> rows{0, 1};
  for (const std::string_view source : {"logits", "features"}) {
    EXPECT_THAT(data.store->column_names(source), ElementsAre("drinking", "eating"));
    Matrix seen(2, 2);
    data.store->gather(source, rows, seen);
    EXPECT_TRUE(seen.isApprox(expected, 1e-6F)) << source;
  }
}

TEST(DriveAndAct, refuses_what_does_not_fit_together) {
  const TestFolder folder;
  const auto problem = [&](const std::string& rows, const std::string& classes) {
    write_drives(folder, rows, classes);
    return refusal([&] { import_dataset("drive_and_act", folder.path()); });
  };
  const std::string two = "0,drinking\n1,eating\n";
  const std::string good = "test,vp1/a,1,0,5,9,1,1,1.0,0.25,0.75\n";
  EXPECT_THAT(problem("test,vp1/a,1,0,5,9,2,1,1.0,0.25,0.75\n", two),
              HasSubstr("column \"class_id\": classes.csv has no class 2"));
  EXPECT_THAT(problem("test,vp1/a,1,0,5,9,1,1,1.0,0.25,0.5\n", two),
              HasSubstr("line 2: these are no probabilities; they add up to 0.75"));
  EXPECT_THAT(problem("test,vp1/a,1,0,5,9,1,1,1.0,-0.25,1.25\n", two),
              HasSubstr("these are no probabilities"));
  EXPECT_THAT(problem("test,vp1/a,1,0,5,9,1,1,1.0,nan,0.5\n", two), HasSubstr("line 2"));
  EXPECT_THAT(problem(good + good, two),
              HasSubstr("line 3: the chunk vp1/a:1:0 stands there twice"));
  EXPECT_THAT(problem(good, "0,drinking\n0,eating\n"),
              HasSubstr("classes.csv: line 3, column \"class_id\": 0 is no new number"));
  EXPECT_THAT(problem(good, "0,drinking\n2,eating\n"), HasSubstr("2 is no new number"));
  EXPECT_THAT(problem(good, two + "2,phoning\n"), HasSubstr("no column is called \"p2\""));
}

TEST(DriveAndAct, has_the_chunks_and_the_accuracy_its_readme_states) {
  const std::filesystem::path folder = testing_support::in_tree("/../shared/data/drive_and_act");
  if (!std::filesystem::exists(folder)) {
    GTEST_SKIP() << folder << " is not here";
  }
  const Dataset data = import_dataset("drive_and_act", folder);
  ASSERT_EQ(data.table.size(), 735);
  EXPECT_EQ(std::count(data.table.split.begin(), data.table.split.end(), "validate"), 479);
  EXPECT_EQ(std::count(data.table.split.begin(), data.table.split.end(), "test"), 256);
  const auto names = data.store->column_names("logits");
  EXPECT_EQ(names.size(), 34U);
  EXPECT_EQ(std::set<std::string>(data.table.group.begin(), data.table.group.end()).size(), 3U);
  double right = 0;
  double sure = 0;
  for (Index i = 0; i < 735; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (data.table.split[at] != "test") {
      continue;
    }
    Matrix row(1, 34);
    data.store->gather("logits", std::vector<Index>{i}, row);
    Index best = 0;
    sure += std::exp(static_cast<double>(row.row(0).maxCoeff(&best)));
    right += names[static_cast<std::size_t>(best)] == data.table.label[at] ? 1 : 0;
  }
  EXPECT_NEAR(right / 256, 0.723, 5e-4);
  EXPECT_NEAR(sure / 256, 0.821, 5e-4);
}

}  // namespace
}  // namespace tyto
