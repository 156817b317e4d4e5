// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/audit/summary.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/data/catalog.hpp"

namespace tyto {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

std::vector<std::string> finding_texts(const DatasetSummary& summary) {
  std::vector<std::string> texts;
  for (const Finding& finding : summary.findings) {
    texts.push_back((finding.weight == Finding::Weight::problem ? "problem: " : "note: ") +
                    finding.text);
  }
  return texts;
}

Dataset clean_dataset() {
  Dataset dataset;
  dataset.name = "clean";
  dataset.table.id = {"0", "1", "2", "3"};
  dataset.table.label = {"cat", "dog", "cat", "dog"};
  dataset.table.split = {"train", "train", "test", "test"};
  dataset.table.group = {"1", "1", "2", "2"};
  dataset.table.annotations["colour"] = {"red", "red", "red", "blue"};
  dataset.store = std::make_shared<DenseStore>((Matrix(4, 2) << 1, 2, 3, 4, 5, 6, 7, 8).finished());
  return dataset;
}

TEST(Summarise, counts_classes_splits_groups_and_values) {
  Progress silent;
  const DatasetSummary summary = summarise(clean_dataset(), silent, 2);
  EXPECT_EQ(summary.samples, 4);
  EXPECT_EQ(summary.groups, 2);
  EXPECT_EQ(summary.splits, (std::map<std::string, Index>{{"test", 2}, {"train", 2}}));
  ASSERT_EQ(summary.classes.size(), 2U);
  EXPECT_EQ(summary.classes[0].name, "cat");
  EXPECT_EQ(summary.classes[0].by_split.at("test"), 1);
  EXPECT_EQ(summary.annotations.at("colour"), 2);
  ASSERT_EQ(summary.sources.size(), 1U);
  EXPECT_EQ(summary.sources[0].low, 1);
  EXPECT_EQ(summary.sources[0].high, 8);
  EXPECT_DOUBLE_EQ(summary.sources[0].mean, 4.5);  // (1 + ... + 8) / 8
  ASSERT_EQ(summary.head.size(), 2U);
  EXPECT_EQ(summary.head[1].label, "dog");
  EXPECT_EQ(summary.head[1].values, (std::vector<float>{3, 4}));
  EXPECT_THAT(finding_texts(summary), ElementsAre());
}

TEST(Summarise, finds_each_kind_of_trouble) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinite = std::numeric_limits<float>::infinity();
  Dataset dataset;
  dataset.table.id = {"0", "1", "2", "3", "4", "5", "6"};
  dataset.table.label = {"cat", "Cat", " dog", " dog", "owl", "", "cat"};
  dataset.table.split = {"train", "train", "train", "test", "test", "test", "test"};
  dataset.table.group = {"1", "1", "2", "2", "3", "3", "4"};
  Matrix values(7, 3);
  values << 1, 0, 5,   // 0 cat, train
      2, 0, 5,         // 1
      3, 0, 5,         // 2
      3, 0, 5,         // 3 repeats 2, and 2 is in train
      nan, 0, 5,       // 4
      6, 0, infinite,  // 5
      2, 0, 5;         // 6 cat repeats 1, Cat, in train
  dataset.store = std::make_shared<DenseStore>(values);
  Progress silent;
  EXPECT_THAT(
      finding_texts(summarise(dataset, silent)),
      testing::UnorderedElementsAre(
          "problem: source \"features\": 2 rows hold a value that is NaN or infinite; the first is "
          "row 4",
          "problem: the labels \"Cat\" and \"cat\" differ only in case",
          "problem: stray blanks in 1 label: \" dog\"",
          "problem: 1 group is on both sides of a split: 2",
          "problem: 2 rows are equal to a row of another label",
          "problem: 2 test rows are equal to a row of the split train",
          "note: source \"features\": 1 column has the same value in every row; the first is "
          "column 1",
          "note: 2 classes have fewer than 2 samples: Cat, owl",
          "note: 1 class is missing in the split train: owl", "note: 1 sample has no label",
          "note: 2 rows repeat an earlier one exactly"));
}

TEST(Summarise, sees_all_blocks_of_a_long_file) {
  Matrix values = Matrix::Zero(9000, 256);  // 2.3 million values: three blocks
  for (Index i = 0; i < values.rows(); ++i) {
    values(i, 0) = static_cast<float>(i);
  }
  values(8999, 255) = std::numeric_limits<float>::quiet_NaN();
  Dataset dataset;
  for (Index i = 0; i < values.rows(); ++i) {
    dataset.table.id.push_back(std::to_string(i));
    dataset.table.label.emplace_back("x");
  }
  dataset.store = std::make_shared<DenseStore>(values);
  Progress silent;
  const DatasetSummary summary = summarise(dataset, silent);
  EXPECT_EQ(summary.sources[0].bad_rows, 1);
  EXPECT_EQ(summary.sources[0].constant_columns, 254);  // all but the first and the last
  EXPECT_EQ(summary.sources[0].high, 8999);
  EXPECT_THAT(finding_texts(summary), Not(Contains("note: 1 row repeats an earlier one exactly")));
}

TEST(Summarise, finds_the_repeated_letters) {
  Progress silent;  // 1,332 rows repeat: 20,000 rows, 18,668 distinct (sort -u counts the same)
  EXPECT_THAT(finding_texts(summarise(Catalog::standard().load("letters"), silent)),
              Contains("note: 1332 rows repeat an earlier one exactly"));
}

}  // namespace
}  // namespace tyto
