// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/extremes/other_class_tails.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "math/random_rows.hpp"
#include <gtest/gtest.h>

#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"
#include "tyto/parts/extremes/set_cover.hpp"

namespace tyto {
namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();

Matrix brute_force_tails(const Matrix& rows, const std::vector<std::int32_t>& classes, Index tau) {
  Matrix tails = Matrix::Constant(rows.rows(), tau, kFar);
  for (Index i = 0; i < rows.rows(); ++i) {
    std::vector<float> all;
    for (Index j = 0; j < rows.rows(); ++j) {
      if (classes[static_cast<std::size_t>(i)] != classes[static_cast<std::size_t>(j)]) {
        all.push_back(squared_distance(&rows(i, 0), &rows(j, 0), rows.cols()));
      }
    }
    std::sort(all.begin(), all.end());
    for (Index t = 0; t < std::min(tau, static_cast<Index>(all.size())); ++t) {
      tails(i, t) = all[static_cast<std::size_t>(t)];
    }
  }
  return tails;
}

std::vector<std::int32_t> round_robin(Index n, Index classes) {
  std::vector<std::int32_t> out;
  for (Index i = 0; i < n; ++i) {
    out.push_back(static_cast<std::int32_t>(i % classes));
  }
  return out;
}

Matrix all_tails(const Matrix& rows, const std::vector<std::int32_t>& classes, Index tau) {
  Matrix tails(rows.rows(), tau);
  update_other_class_tails(rows, classes, 0, tails, [] {});
  return tails;
}

TEST(OtherClassTails, equal_brute_force_over_several_blocks) {
  for (const double mean : {0.0, 100.0}) {  // far from the origin products cancel
    const Matrix rows = random_rows(1200, 9, 4, mean);
    const auto classes = round_robin(rows.rows(), 7);
    EXPECT_EQ(all_tails(rows, classes, 6), brute_force_tails(rows, classes, 6));
  }
}

TEST(OtherClassTails, do_not_depend_on_threads) {
  const Matrix rows = random_rows(1500, 20, 5);
  const auto classes = round_robin(rows.rows(), 3);
  const int before = thread_count();
  const Matrix many = all_tails(rows, classes, 10);
  set_thread_count(1);
  EXPECT_EQ(all_tails(rows, classes, 10), many);
  set_thread_count(before);
}

TEST(OtherClassTails, of_rows_that_come_later_equal_those_of_all_at_once) {
  const Matrix rows = random_rows(1300, 5, 6);
  const auto classes = round_robin(rows.rows(), 4);
  const Matrix expected = all_tails(rows, classes, 8);
  const Index old = 1150;
  const std::vector<std::int32_t> some(classes.begin(), classes.begin() + old);
  const Matrix before = all_tails(rows.topRows(old), some, 8);
  Matrix tails(rows.rows(), 8);
  tails.topRows(old) = before;
  const auto changed = update_other_class_tails(rows, classes, old, tails, [] {});
  EXPECT_EQ(tails, expected);
  ASSERT_EQ(changed.size(), static_cast<std::size_t>(old));
  Index hits = 0;
  for (Index i = 0; i < old; ++i) {
    const bool moved = before.row(i) != expected.row(i);
    EXPECT_EQ(changed[static_cast<std::size_t>(i)] != 0, moved) << i;
    hits += moved ? 1 : 0;
  }
  EXPECT_GT(hits, 0);
  EXPECT_LT(hits, old);
}

TEST(OtherClassTails, are_infinite_where_there_are_too_few_others) {
  Matrix rows(3, 1);
  rows << 0, 3, 7;
  const Matrix tails = all_tails(rows, {1, 1, 2}, 2);
  Matrix expected(3, 2);
  expected << 49, kFar, 16, kFar, 16, 49;
  EXPECT_EQ(tails, expected);
  EXPECT_EQ(all_tails(rows, {1, 1, 1}, 1), Matrix::Constant(3, 1, kFar));
}

TEST(GreedyCover, picks_the_lowest_of_those_that_cover_most) {
  // On a line 0 1 2 3 10; reach 1 each: 1 covers 0 1 2, 2 covers 1 2 3; the tie goes to 1. Then 2
  // and 3 both cover 3 alone, so 2 follows, and 10 stands for itself.
  Matrix rows(5, 1);
  rows << 0, 1, 2, 3, 10;
  EXPECT_EQ(greedy_cover(rows, Vector::Constant(5, 1.0F)), (std::vector<Index>{1, 2, 4}));
  // Without reach everyone stands for himself.
  EXPECT_EQ(greedy_cover(rows, Vector::Constant(5, -1.0F)), (std::vector<Index>{0, 1, 2, 3, 4}));
  EXPECT_EQ(greedy_cover(rows, Vector::Constant(5, 1e9F)), (std::vector<Index>{0}));
  EXPECT_TRUE(greedy_cover(Matrix(0, 1), Vector()).empty());
}

TEST(GreedyCover, equals_the_plain_greedy_rule) {
  const Matrix rows = random_rows(300, 3, 8);
  Rng rng(2, "reach");
  Vector reach(rows.rows());
  for (Index i = 0; i < reach.size(); ++i) {
    reach[i] = static_cast<float>(0.6 * rng.uniform());
  }
  std::vector<Index> expected;
  std::set<Index> open;
  for (Index i = 0; i < rows.rows(); ++i) {
    open.insert(i);
  }
  const auto covers = [&](Index i, Index j) {
    return i == j || squared_distance(&rows(i, 0), &rows(j, 0), 3) <= reach[i];
  };
  while (!open.empty()) {
    Index best = -1;
    Index most = 0;
    for (Index i = 0; i < rows.rows(); ++i) {
      const Index count =
          std::count_if(open.begin(), open.end(), [&](Index j) { return covers(i, j); });
      if (count > most) {
        most = count;
        best = i;
      }
    }
    expected.push_back(best);
    std::erase_if(open, [&](Index j) { return covers(best, j); });
  }
  EXPECT_EQ(greedy_cover(rows, reach), expected);
}

}  // namespace
}  // namespace tyto
