// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "sample/store_helpers.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/data/import.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Matrix rows_of(const Dataset& data, std::string_view source) {
  std::vector<Index> all;
  for (Index row = 0; row < data.store->rows(); ++row) {
    all.push_back(row);
  }
  Matrix out(data.store->rows(), data.store->shape(source).front());
  data.store->gather(source, all, out);
  return out;
}

TEST(ImportScores, takes_names_labels_splits_and_features) {
  const TestFolder folder;
  write_file(folder / "logits.csv", "walk,run\n1.5,-2\n0.25,3\n-1,4\n");
  write_file(folder / "labels.csv", "label\nwalk\n1\n\"run\"\n");
  write_file(folder / "features.csv", "x,y,z\n1,2,3\n4,5,6\n7,8,9\n");
  write_file(folder / "splits.csv", "split\ntrain\nval\ntest\n");
  const Dataset data = import_dataset("scores", folder.path());
  EXPECT_EQ(data.name, folder.path().filename());
  EXPECT_THAT(data.table.id, ElementsAre("0", "1", "2"));
  EXPECT_THAT(data.table.label, ElementsAre("walk", "run", "run"));
  EXPECT_THAT(data.table.split, ElementsAre("train", "validate", "test"));
  Matrix logits(3, 2);
  logits << 1.5F, -2, 0.25F, 3, -1, 4;
  Matrix features(3, 3);
  features << 1, 2, 3, 4, 5, 6, 7, 8, 9;
  save_dataset(data, folder / "saved");
  for (const Dataset& seen : {data, load_dataset(folder / "saved")}) {
    EXPECT_THAT(seen.store->sources(), ElementsAre("features", "logits"));
    EXPECT_THAT(seen.store->column_names("logits"), ElementsAre("walk", "run"));
    EXPECT_THAT(seen.store->column_names("features"), ElementsAre("x", "y", "z"));
    EXPECT_EQ(rows_of(seen, "logits"), logits);
    EXPECT_EQ(rows_of(seen, "features"), features);
    EXPECT_EQ(seen.table.label, data.table.label);
  }
}

TEST(ImportScores, names_classes_by_number_and_doubles_the_logits_where_nothing_else_is_given) {
  const TestFolder folder;
  write_gz(folder / "logits.csv.gz", "1,2,3\n4,5,-inf\n-200,5,-inf\n");
  write_gz(folder / "labels.csv.gz", "2\n0\n1\n");
  const Dataset data = import_dataset("scores", folder.path());
  EXPECT_THAT(data.table.label, ElementsAre("2", "0", "1"));
  EXPECT_TRUE(data.table.split.empty());
  EXPECT_THAT(data.store->column_names("logits"), ElementsAre("0", "1", "2"));
  Matrix logits(3, 3);
  // Impossible: 103 below the row's greatest, or as low as its least.
  logits << 1, 2, 3, 4, 5, 5 - 103, -200, 5, -200;
  EXPECT_EQ(rows_of(data, "logits"), logits);
  EXPECT_EQ(rows_of(data, "features"), logits);
  EXPECT_THAT(data.about.at("logits"), HasSubstr("103 below"));
}

TEST(ImportScores, turns_probabilities_into_logarithms) {
  Matrix logits(2, 2);
  logits << std::log(0.25F), std::log(0.75F), 0, -103;
  for (const std::string_view file : {"logits.csv", "probabilities.csv"}) {
    const TestFolder folder;
    write_file(folder / file, "a,b\n0.25,0.75\n1,0\n");
    write_file(folder / "labels.csv", "b\na\n");
    const Dataset data = import_dataset("scores", folder.path());
    EXPECT_TRUE(rows_of(data, "logits").isApprox(logits, 1e-6F));
    EXPECT_THAT(data.about.at("logits"), HasSubstr("logarithms"));
  }
}

TEST(ImportScores, reads_numpy_files) {
  const TestFolder folder;
  Matrix logits(2, 2);
  logits << 1, -2, 3, 4;
  for (const std::string_view file : {"logits.npy", "features.npy"}) {
    NpyWriter writer(folder / file, 2, {2});
    writer.append(file == "logits.npy" ? logits : Matrix(2 * logits));
    writer.finish();
  }
  write_file(folder / "labels.csv", "1\n0\n");
  const Dataset data = import_dataset("scores", folder.path());
  EXPECT_THAT(data.table.label, ElementsAre("1", "0"));
  EXPECT_EQ(rows_of(data, "logits"), logits);
  EXPECT_EQ(rows_of(data, "features"), Matrix(2 * logits));
}

TEST(ImportScores, says_what_is_wrong_and_where) {
  const TestFolder folder;
  write_file(folder / "logits.csv", "a,b\n1,2\n3,4\n");
  write_file(folder / "labels.csv", "a\nb\n");
  const auto problem_with = [&](const char* file, const std::string& text) {
    const std::string before =
        std::filesystem::exists(folder / file) ? read_file(folder / file) : std::string();
    write_file(folder / file, text);
    const std::string problem = refusal([&] { import_dataset("scores", folder.path()); });
    if (before.empty()) {
      std::filesystem::remove(folder / file);
    } else {
      write_file(folder / file, before);
    }
    return problem;
  };
  const std::string place = folder.path().string() + "/";
  EXPECT_EQ(problem_with("labels.csv", "a\nb\na\n"),
            place + "labels.csv: 3 labels for the 2 rows of " + place + "logits.csv");
  EXPECT_THAT(problem_with("labels.csv", "a\nc\n"),
              HasSubstr("labels.csv: line 2: \"c\" is no column of"));
  EXPECT_THAT(problem_with("labels.csv", "a\n2\n"), HasSubstr("line 2: \"2\" is no column of"));
  EXPECT_THAT(problem_with("logits.csv", "a,b\n1,2\n3,nan\n"),
              HasSubstr("logits.csv: row 2, column 2 (from 1): nan is no score"));
  EXPECT_THAT(problem_with("logits.csv", "a,b\n1,2\n3,x\n"),
              HasSubstr("line 3, column 2 (from 1): \"x\" is not a number"));
  EXPECT_THAT(problem_with("logits.csv", "a,b\n1,2\n3,1e300\n"),
              HasSubstr("row 2, column 2 (from 1): 1e+300 is not a finite number of 32 bits"));
  EXPECT_THAT(problem_with("logits.csv", "a,b\n1,2\n-inf,-inf\n"), HasSubstr("row 2 (from 1)"));
  EXPECT_THAT(problem_with("logits.csv", "a,a\n1,2\n3,4\n"),
              HasSubstr("logits.csv: line 1: two columns are called \"a\""));
  EXPECT_THAT(problem_with("logits.csv", "a,\n1,2\n3,4\n"),
              HasSubstr("logits.csv: line 1: column 2 has no name"));
  EXPECT_THAT(problem_with("logits.csv", "a,b\n"), HasSubstr("logits.csv: holds no sample"));
  // "a" counts as a heading.
  EXPECT_THAT(problem_with("logits.csv", "c,b\n1,2\n3,4\n"),
              HasSubstr("labels.csv: 1 labels for the 2 rows"));
  EXPECT_THAT(problem_with("features.csv", "1\n2\n3\n"),
              HasSubstr("features.csv: 3 rows of features for the 2 rows of"));
  EXPECT_THAT(problem_with("features.csv", "1\nnan\n"),
              HasSubstr("features.csv: row 2, column 1 (from 1): nan is not a finite number"));
  EXPECT_EQ(problem_with("splits.csv", "train\nsunday\n"),
            place + "splits.csv: line 2: the split \"sunday\" is not one of train, validate, test");
  EXPECT_THAT(problem_with("splits.csv", "test\n"),
              HasSubstr("splits.csv: 1 splits for the 2 rows of"));
  EXPECT_THAT(problem_with("probabilities.csv", "a,b\n0.5,0.5\n1,0\n"),
              HasSubstr("probabilities.csv: stands beside " + place + "logits.csv"));
  std::filesystem::remove(folder / "logits.csv");
  EXPECT_THAT(problem_with("probabilities.csv", "a,b\n0.5,0.6\n1,0\n"),
              HasSubstr("these are no probabilities"));
  write_file(folder / "labels.csv", "unknown\nb\n");
  EXPECT_THAT(problem_with("logits.csv", "unknown,b\n1,2\n3,4\n"),
              HasSubstr("labels.csv: label 1 (from 1): a class cannot be called \"unknown\""));
}

}  // namespace
}  // namespace tyto
