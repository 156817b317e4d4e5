// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/correlation.hpp"

#include "math/random_rows.hpp"
#include <gtest/gtest.h>

namespace tyto {
namespace {

Eigen::MatrixXd three_by_three() {
  Eigen::MatrixXd s(3, 3);
  s << 4, 1, 0, 1, 9, 2, 0, 2, 2;  // mean of the diagonal 5, of the rest 1, of what is not 0: 1.5
  return s;
}

TEST(WithMeanEntries, of_a_hand_worked_case) {
  Eigen::MatrixXd expected(3, 3);
  expected << 9, 3, 2, 3, 14, 4, 2, 4, 7;
  EXPECT_EQ(with_mean_entries(three_by_three(), 1, 2), expected);
  expected << 14, 2.5, 1.5, 2.5, 19, 3.5, 1.5, 3.5, 12;
  EXPECT_EQ(with_mean_entries(three_by_three(), 2, 1, OffDiagonal::not_zero), expected);
  EXPECT_EQ(with_mean_entries(three_by_three(), 0, 0), three_by_three());
}

TEST(WithMeanEntries, of_one_column_has_no_rest) {
  EXPECT_EQ(with_mean_entries(Eigen::MatrixXd::Constant(1, 1, 3.0), 1, 1)(0, 0), 6.0);
}

TEST(Correlation, of_a_hand_worked_case) {
  Eigen::MatrixXd s(3, 3);
  s << 4, 3, 0, 3, 9, 0, 0, 0, 0;
  Eigen::MatrixXd expected(3, 3);
  expected << 1, 0.5, 0, 0.5, 1, 0, 0, 0, 1;
  EXPECT_LT((correlation_of(s) - expected).norm(), 1e-15);
}

TEST(CorrelationFactor, gives_the_matrix_back_where_it_can) {
  const Eigen::MatrixXd rows = random_rows(20, 6, 3).cast<double>();
  const Eigen::MatrixXd r = correlation_of(rows.transpose() * rows);
  const Eigen::MatrixXd factor = correlation_factor(r);
  EXPECT_LT((factor * factor.transpose() - r).norm(), 1e-12);
  EXPECT_EQ(factor(0, 5), 0.0);
}

TEST(CorrelationFactor, raises_the_diagonal_of_what_is_singular) {
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(4, 4);
  const Eigen::MatrixXd factor = correlation_factor(ones);
  EXPECT_GE(factor.diagonal().minCoeff(), 1e-3);
  EXPECT_LT((factor * factor.transpose() - ones).cwiseAbs().maxCoeff(), 1.1e-5);
}

}  // namespace
}  // namespace tyto
