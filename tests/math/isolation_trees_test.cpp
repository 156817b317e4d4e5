// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/isolation_trees.hpp"

#include <cmath>
#include <numeric>

#include "math/random_rows.hpp"
#include <gtest/gtest.h>

#include "tyto/core/parallel.hpp"

namespace tyto {
namespace {

std::vector<std::vector<Index>> all_rows(Index trees, Index n) {
  std::vector<Index> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  return std::vector<std::vector<Index>>(static_cast<std::size_t>(trees), rows);
}

TEST(MeanCuts, of_small_and_usual_samples) {
  EXPECT_EQ(mean_cuts(1), 0.0);
  EXPECT_EQ(mean_cuts(2), 1.0);
  EXPECT_NEAR(mean_cuts(3), 1.2073923, 1e-6);     // 2 (ln 2 + 0.5772157) - 4 / 3
  EXPECT_NEAR(mean_cuts(256), 10.2447709, 1e-6);  // 2 (ln 255 + 0.5772157) - 510 / 256
}

TEST(IsolationTrees, of_a_case_whose_paths_are_known) {
  // A cut of 0, 1, 10 falls below 1 with chance 0.1 and leaves 1 and 10 together, otherwise it
  // leaves 0 and 1. Mean paths: 10: 0.9 + 0.1 * 2; 0: 0.1 + 0.9 * 2; 1: 2.
  const Matrix rows{{0}, {1}, {10}};
  const IsolationTrees trees(rows, all_rows(20000, 3), Rng(1));
  const Vector scores = trees.scores(Matrix{{0}, {1}, {10}, {99}});
  const auto path = [&](Index i) { return -std::log2(scores[i]) * mean_cuts(3); };
  EXPECT_NEAR(path(0), 1.9, 0.01);
  EXPECT_NEAR(path(1), 2.0, 1e-5);
  EXPECT_NEAR(path(2), 1.1, 0.01);
  EXPECT_EQ(scores[3], scores[2]);
}

TEST(IsolationTrees, leave_equal_rows_together_and_count_them) {
  const IsolationTrees same(Matrix::Constant(5, 2, 3.0F), all_rows(7, 5), Rng(1));
  EXPECT_NEAR(same.scores(Matrix::Zero(1, 2))[0], 0.5, 1e-6);  // the path is c(5) itself
  // One column tells nothing and is never cut: 4 and three times 5 part at the root. The path of
  // 5 is 1 + c(3), that of 4 is 1.
  const Matrix rows{{1, 5}, {1, 5}, {1, 4}, {1, 5}};
  const IsolationTrees trees(rows, all_rows(30, 4), Rng(2));
  const Vector scores = trees.scores(Matrix{{0, 5}, {9, 4}});
  EXPECT_NEAR(scores[0], std::exp2(-(1.0 + mean_cuts(3)) / mean_cuts(4)), 1e-6);
  EXPECT_NEAR(scores[1], std::exp2(-1.0 / mean_cuts(4)), 1e-6);
}

TEST(IsolationTrees, are_no_deeper_than_the_logarithm_of_their_sample) {
  // Each row is 256 times the one before: nearly every cut sets the greatest apart alone. After
  // four of them the least is still with 11 others; without a bound it had 15 cuts.
  Matrix rows(16, 1);
  for (Index i = 0; i < 16; ++i) {
    rows(i, 0) = static_cast<float>(std::exp2(8.0 * static_cast<double>(i)));
  }
  const IsolationTrees trees(rows, all_rows(50, 16), Rng(3));
  const double path = -std::log2(trees.scores(Matrix{{1}})[0]) * mean_cuts(16);
  EXPECT_NEAR(path, 4.0 + mean_cuts(12), 0.2);
}

TEST(IsolationTrees, are_the_same_with_any_number_of_threads) {
  const Matrix rows = random_rows(300, 7, 4);
  const Matrix queries = random_rows(157, 7, 5);
  const int before = thread_count();
  std::vector<Vector> scores;
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    scores.push_back(IsolationTrees(rows, all_rows(20, 300), Rng(6)).scores(queries));
  }
  set_thread_count(before);
  EXPECT_EQ(scores[0], scores[1]);
  const IsolationTrees trees(rows, all_rows(20, 300), Rng(6));
  EXPECT_EQ(trees.scores(queries.middleRows(70, 1))[0], scores[0][70]);
  State state;
  trees.save(state);
  IsolationTrees again;
  again.load(state);
  EXPECT_EQ(again.scores(queries), scores[0]);
  EXPECT_NE(IsolationTrees(rows, all_rows(20, 300), Rng(7)).scores(queries), scores[0]);
}

}  // namespace
}  // namespace tyto
