// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/made_folder.hpp"

#include <map>

#include "support/scratch.hpp"
#include "support/test_data_makers.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/sail_on/data_folder.hpp"
#include "tyto/sail_on/test_metadata.hpp"
#include "tyto/sail_on/test_truth.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::evenly;
using testing_support::LineDataset;
using testing_support::problem_of;
using testing_support::Scratch;
using testing_support::small_options;

std::map<std::string, std::string> files_below(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[std::filesystem::relative(entry.path(), folder).string()] = read_file(entry.path());
    }
  }
  return files;
}

TEST(MadeFolder, equal_calls_give_equal_bytes) {
  const Dataset dataset = LineDataset{evenly(8)}.make();
  MakeTestsOptions options = small_options();
  options.novelty = {"classes", "altered"};
  options.difficulty = {"easy", "hard"};
  const Scratch scratch;
  for (const char* name : {"first", "second"}) {
    write_made_tests(make_tests(dataset, options, 3), dataset, options, 3, scratch / name,
                     {true, false});
  }
  const auto files = files_below(scratch / "first");
  EXPECT_EQ(files.size(), 8U * 2 + 1 + 3 + 3 * 3);
  EXPECT_EQ(files, files_below(scratch / "second"));
}

TEST(MadeFolder, joins_tests_to_the_dataset_and_does_without_it) {
  const Dataset dataset = LineDataset{evenly(8)}.make();
  MakeTestsOptions options = small_options();
  options.novelty = {"classes", "altered"};
  const MadeTests made = make_tests(dataset, options, 3);
  const Scratch scratch;
  write_made_tests(made, dataset, options, 3, scratch / "made", {true, false});
  const CsvTable train = CsvTable::load(scratch / "made/train.csv");
  ASSERT_EQ(train.rows(), std::ssize(made.train));
  for (Index i = 0; i < train.rows(); ++i) {
    const Index row = made.train[at(i)];
    EXPECT_EQ(train.text(i, 0), dataset.table.id[at(row)]);
    EXPECT_EQ(train.text(i, 1), dataset.table.label[at(row)]);
    EXPECT_EQ(train.text(i, 1), made.classes[at(static_cast<Index>(train.number(i, 2)))]);
  }
  const CsvTable samples = CsvTable::load(scratch / "made/samples.csv");
  const Dataset features = load_dataset(scratch / "made/features");
  const Dataset altered = load_dataset(scratch / "made/altered");
  ASSERT_EQ(samples.rows(), std::ssize(made.samples));
  ASSERT_EQ(features.table.size(), samples.rows());
  ASSERT_EQ(altered.table.size(), made.altered.rows());
  Matrix row(1, 3);
  Matrix expected(1, 3);
  Index next = 0;
  for (Index i = 0; i < samples.rows(); ++i) {
    const MadeSample& sample = made.samples[at(i)];
    EXPECT_EQ(samples.text(i, 0), sample.id);
    EXPECT_EQ(samples.text(i, 1), dataset.table.id[at(sample.row)]);
    EXPECT_EQ(features.table.id[at(i)], sample.id);
    EXPECT_EQ(features.table.label[at(i)], "");
    features.store->gather("features", Rows(&i, 1), row);
    if (sample.altered > 0) {
      EXPECT_EQ(altered.table.id[at(next)], sample.id);
      altered.store->gather("features", Rows(&next, 1), expected);
      ++next;
    } else {
      dataset.store->gather("features", Rows(&sample.row, 1), expected);
    }
    EXPECT_EQ(row, expected);
  }
  const Dataset start = load_dataset(scratch / "made/train");
  EXPECT_EQ(start.table.size(), train.rows());
  EXPECT_EQ(start.table.label.front(), dataset.table.label[at(made.train.front())]);
}

TEST(MadeFolder, replaces_only_what_it_has_made_and_only_if_told) {
  const Dataset dataset = LineDataset{evenly(8)}.make();
  const MakeTestsOptions options = small_options();
  const MadeTests made = make_tests(dataset, options, 3);
  const Scratch scratch;
  write_made_tests(made, dataset, options, 3, scratch / "made");
  EXPECT_FALSE(std::filesystem::exists(scratch / "made/altered"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "made/features"));
  write_file(scratch / "made/left", "over");
  EXPECT_THAT(problem_of([&] { write_made_tests(made, dataset, options, 3, scratch / "made"); },
                         ErrorKind::io),
              HasSubstr("the folder is not empty"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "made/left"));
  write_made_tests(made, dataset, options, 3, scratch / "made", {false, true});
  EXPECT_FALSE(std::filesystem::exists(scratch / "made/left"));
  std::filesystem::create_directory(scratch / "mine");
  write_file(scratch / "mine/letter", "dear");
  EXPECT_THAT(problem_of(
                  [&] {
                    write_made_tests(made, dataset, options, 3, scratch / "mine", {false, true});
                  },
                  ErrorKind::io),
              HasSubstr("it has no made.yaml"));
  EXPECT_EQ(read_file(scratch / "mine/letter"), "dear");
  EXPECT_EQ(scratch.entries(), 2);  // nothing lies beside
}

TEST(MadeFolder, is_read_by_whoever_serves_it_as_it_was_made) {
  Dataset dataset = LineDataset{evenly(8)}.make();
  dataset.table.group.assign(dataset.table.id.size(), "a, b|c");
  for (std::string& label : dataset.table.label) {
    label = label + (label < "c04" ? ", kind | one" : "");
  }
  MakeTestsOptions options = small_options();
  options.groups = "ignore";
  options.novelty = {"classes", "altered"};
  const MadeTests made = make_tests(dataset, options, 3);
  const Scratch scratch;
  write_made_tests(made, dataset, options, 3, scratch / "made");
  const sail_on::DataFolder folder(scratch / "made");
  ASSERT_EQ(folder.test_ids("OND", "activity_recognition").size(), 4U);
  for (const auto& test : made.tests) {
    const auto read = folder.find("OND", "activity_recognition", test->id);
    ASSERT_NE(read, nullptr);
    EXPECT_EQ(read->test.columns, test->columns);
    EXPECT_EQ(read->test.rows, test->rows);
    EXPECT_EQ(read->test.metadata, test->metadata);
    const sail_on::TestTruth truth = sail_on::test_truth(read->test);
    EXPECT_EQ(truth.label.front(), test->rows.front()[18]);
    const sail_on::TestMetadata told = sail_on::read_metadata(read->test.metadata, {});
    EXPECT_EQ(told.round_size, 8);
    EXPECT_EQ(told.known_classes, 4);
    EXPECT_EQ(told.red_light, test->rows[16][0]);
  }
}

TEST(MadeFolder, agents_are_told_nothing_of_what_is_new) {
  const Dataset dataset = LineDataset{evenly(8)}.make();
  MakeTestsOptions options = small_options();
  std::vector<std::string> told;
  options.novelty = {"classes", "altered"};
  options.difficulty = {"easy", "hard"};
  for (const auto& test : make_tests(dataset, options, 3).tests) {
    told.push_back(sail_on::approved_metadata(test->metadata, {}));
    EXPECT_EQ(told.back(), told.front());
    EXPECT_EQ(told.back().find("c0"), std::string::npos);
  }
}

}  // namespace
}  // namespace tyto
