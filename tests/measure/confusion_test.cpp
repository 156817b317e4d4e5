// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/confusion.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using Names = std::vector<std::string>;

Names random_names(Rng& rng, Index n, Index classes) {
  Names names;
  for (Index i = 0; i < n; ++i) {
    names.push_back("c" + std::to_string(rng.below(classes)));
  }
  return names;
}

// By name, whatever the order of the labels.
std::map<std::pair<std::string, std::string>, Confusion::Count> by_name(const Confusion& matrix) {
  std::map<std::pair<std::string, std::string>, Confusion::Count> counts;
  for (const auto& [cell, count] : matrix.cells()) {
    counts[{matrix.labels()[static_cast<std::size_t>(cell.first)],
            matrix.labels()[static_cast<std::size_t>(cell.second)]}] = count;
  }
  return counts;
}

TEST(Confusion, counts_pairs_by_name) {
  const auto matrix = Confusion::from(Names{"a", "a", "b", "a"}, Names{"a", "c", "a", "c"});
  EXPECT_THAT(matrix.labels(), ElementsAre("a", "c", "b"));
  EXPECT_EQ(matrix.count("a", "a"), 1);
  EXPECT_EQ(matrix.count("a", "c"), 2);
  EXPECT_EQ(matrix.count("b", "a"), 1);
  EXPECT_EQ(matrix.count("c", "a"), 0);
  EXPECT_EQ(matrix.count("never", "seen"), 0);
  EXPECT_EQ(matrix.total(), 4);
  EXPECT_EQ(matrix.correct(), 1);
  EXPECT_THAT(matrix.actual_counts(), ElementsAre(3, 0, 1));
  EXPECT_THAT(matrix.predicted_counts(), ElementsAre(2, 2, 0));
}

TEST(Confusion, in_bulk_equals_one_pair_at_a_time) {
  Rng rng(1, "confusion");
  const Names actual = random_names(rng, 500, 9);
  const Names predicted = random_names(rng, 500, 12);
  Confusion one_by_one;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    one_by_one.add(actual[i], predicted[i]);
  }
  const auto bulk = Confusion::from(actual, predicted);
  EXPECT_EQ(bulk.labels(), one_by_one.labels());
  EXPECT_EQ(bulk.cells(), one_by_one.cells());
  EXPECT_EQ(bulk.total(), one_by_one.total());
}

TEST(Confusion, merged_equals_counted_together) {
  Rng rng(2, "confusion");
  for (int trial = 0; trial < 20; ++trial) {
    Names actual = random_names(rng, 100, 5 + trial);
    Names predicted = random_names(rng, 100, 30 - trial);
    const Names more_actual = random_names(rng, 80, 40);
    const Names more_predicted = random_names(rng, 80, 6);
    auto sum = Confusion::from(actual, predicted);
    sum.merge(Confusion::from(more_actual, more_predicted));
    actual.insert(actual.end(), more_actual.begin(), more_actual.end());
    predicted.insert(predicted.end(), more_predicted.begin(), more_predicted.end());
    const auto together = Confusion::from(actual, predicted);
    EXPECT_EQ(by_name(sum), by_name(together));
    EXPECT_EQ(sum.total(), together.total());
  }
}

TEST(Confusion, merge_appends_the_names_only_the_other_has) {
  auto left = Confusion::from(Names{"a", "b"}, Names{"b", "b"});
  left.merge(Confusion::from(Names{"d", "b"}, Names{"c", "b"}));
  EXPECT_THAT(left.labels(), ElementsAre("a", "b", "d", "c"));
  EXPECT_EQ(left.count("b", "b"), 2);
  EXPECT_EQ(left.count("d", "c"), 1);
}

TEST(Confusion, merged_with_itself_doubles) {
  auto matrix = Confusion::from(Names{"a", "b"}, Names{"b", "b"});
  matrix.merge(matrix);
  EXPECT_EQ(matrix.count("a", "b"), 2);
  EXPECT_EQ(matrix.total(), 4);
}

TEST(Confusion, adds_up_places_of_one_name) {
  // a->a 1, a->b 2, b->c 3, c->a 4, in any order; a and b both called s: s->s 3, s->c 3, c->s 4.
  const Confusion::Cells cells{{{2, 0}, 4}, {{0, 0}, 1}, {{1, 2}, 3}, {{0, 1}, 2}};
  const auto made = Confusion::from(std::vector<std::string_view>{"s", "s", "c"}, cells);
  EXPECT_THAT(made.labels(), ElementsAre("s", "c"));
  EXPECT_EQ(made.count("s", "s"), 3);
  EXPECT_EQ(made.count("s", "c"), 3);
  EXPECT_EQ(made.count("c", "s"), 4);
  EXPECT_EQ(made.count("c", "c"), 0);
  EXPECT_EQ(made.total(), 10);
  EXPECT_EQ(std::ssize(made.cells()), 3);
}

TEST(CountPairs, agrees_in_a_table_and_by_sorting) {
  Rng rng(5, "pairs");
  for (const Index places : {Index{3}, Index{400}}) {  // 200 pairs: a table of 9, a sort
    std::vector<std::int32_t> actual, predicted;
    std::map<std::pair<Index, Index>, Confusion::Count> expected;
    for (int i = 0; i < 200; ++i) {
      actual.push_back(static_cast<std::int32_t>(rng.below(places)));
      predicted.push_back(static_cast<std::int32_t>(rng.below(3)));
      ++expected[{actual.back(), predicted.back()}];
    }
    EXPECT_EQ(count_pairs(places, actual, predicted),
              Confusion::Cells(expected.begin(), expected.end()));
  }
}

TEST(Confusion, refuses_lists_of_different_length) {
  EXPECT_THROW(Confusion::from(Names{"a", "b"}, Names{"a"}), Error);
}

TEST(Confusion, holds_700_000_samples_of_718_classes_and_many_discovered) {
  Rng rng(3, "scale");
  constexpr std::size_t kSamples = 700000;
  Names labels;
  for (int k = 0; k < 718; ++k) {
    labels.push_back("class " + std::to_string(k));
  }
  for (int k = 0; k < 5000; ++k) {
    labels.push_back("discovered_" + std::to_string(k));
  }
  std::vector<std::int32_t> actual(kSamples);
  std::vector<std::int32_t> predicted(kSamples);
  Confusion::Count right = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    actual[i] = static_cast<std::int32_t>(rng.below(718));
    predicted[i] =
        rng.below(2) == 0 ? actual[i] : static_cast<std::int32_t>(rng.below(std::ssize(labels)));
    right += actual[i] == predicted[i] ? 1 : 0;
  }
  const auto matrix = Confusion::from(labels, actual, predicted);
  EXPECT_EQ(matrix.total(), 700000);
  EXPECT_EQ(matrix.correct(), right);
  std::vector<std::string_view> merged(labels.begin(), labels.end());
  std::fill(merged.begin() + 718, merged.end(), "unknown");
  const auto reduced = Confusion::from(merged, matrix.cells());
  EXPECT_EQ(reduced.size(), 719);
  EXPECT_EQ(reduced.correct(), right);
}

}  // namespace
}  // namespace tyto
