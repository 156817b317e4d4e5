// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/softmax.hpp"

#include <cmath>

#include "math/random_rows.hpp"
#include <gtest/gtest.h>

#include "tyto/calibration/temperature_fit.hpp"
#include "tyto/math/quantile.hpp"

namespace tyto {
namespace {

TEST(Softmax, of_a_hand_worked_case) {
  Matrix logits(2, 2);
  logits << 0, std::log(3.0F), 1000, 1000;  // 1 : 3; the second would overflow unshifted
  const Matrix probability = softmax(logits);
  EXPECT_NEAR(probability(0, 0), 0.25, 1e-6);
  EXPECT_NEAR(probability(0, 1), 0.75, 1e-6);
  EXPECT_NEAR(probability(1, 0), 0.5, 1e-6);
  EXPECT_NEAR(log_sum_exp(logits)[0], std::log(4.0), 1e-6);
  EXPECT_NEAR(log_sum_exp(logits)[1], 1000.0 + std::log(2.0), 1e-3);
}

TEST(Softmax, sums_to_one_and_ignores_a_shift) {
  const Matrix logits = random_rows(20, 7, 11);
  const Matrix probability = softmax(logits);
  const Matrix shifted = softmax(logits.array() + 50.0F);
  for (Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(probability.row(i).sum(), 1.0, 1e-6);
  }
  EXPECT_LT((probability - shifted).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(Quantile, interpolates_between_order_statistics) {
  const std::vector<float> values{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(std::span<const float>(values), 0.5), 2.5);    // at 1.5
  EXPECT_DOUBLE_EQ(quantile(std::span<const float>(values), 0.25), 1.75);  // at 0.75
  EXPECT_DOUBLE_EQ(quantile(std::span<const float>(values), 1.0), 4.0);
}

TEST(Quantile, that_covers_is_one_of_the_values) {
  std::vector<double> values;
  for (int i = 20; i > 0; --i) {
    values.push_back(i);
  }
  const std::span<const double> all(values);
  EXPECT_EQ(covering_quantile(all, 0.95), 19);  // 19 of 20 do not exceed 19
  EXPECT_EQ(covering_quantile(all, 0.951), 20);
  EXPECT_EQ(covering_quantile(all, 0.0), 1);
  EXPECT_EQ(covering_quantile(all, 1.0), 20);
  EXPECT_EQ(order_statistic(all, 2), 3);
}

TEST(Quantile, of_nothing_is_refused) {
  EXPECT_THROW(quantile(std::span<const float>(), 0.5), Error);
  EXPECT_THROW(covering_quantile(std::span<const float>(), 0.5), Error);
}

TEST(FitScale, finds_the_odds_of_a_hand_worked_case) {
  // Scores 1 and 0, right three times of four: softmax(s) = 3/4 at s = log 3.
  Matrix scores(4, 2);
  scores << 1, 0, 1, 0, 1, 0, 1, 0;
  const std::vector<Index> truth{0, 0, 0, 1};
  EXPECT_NEAR(fit_scale(scores, truth), std::log(3.0), 1e-6);
}

TEST(FitScale, stays_finite_for_perfect_scores_when_smoothed) {
  Matrix scores(4, 2);
  scores << 1, 0, 1, 0, 1, 0, 1, 0;
  const std::vector<Index> truth(4, 0);
  // Wanted 1 - 0.2 + 0.1 = 0.9 : 0.1
  EXPECT_NEAR(fit_scale(scores, truth, 0.2), std::log(9.0), 1e-6);
}

}  // namespace
}  // namespace tyto
