// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/class_scatters.hpp"

#include "math/random_rows.hpp"
#include <gtest/gtest.h>

#include "tyto/core/files/archive.hpp"

namespace tyto {
namespace {

// By two passes over all rows.
Eigen::MatrixXd direct_covariance(const Matrix& rows) {
  const Eigen::MatrixXd wide = rows.cast<double>();
  const Eigen::MatrixXd about = wide.rowwise() - wide.colwise().mean();
  return about.transpose() * about / static_cast<double>(rows.rows() - 1);
}

TEST(ClassScatters, equal_two_passes_over_all_rows_however_they_come) {
  const Matrix one = random_rows(23, 4, 1, 50.0);
  const Matrix other = random_rows(9, 4, 2, -3.0);
  ClassScatters scatters;
  scatters.add(7, one.topRows(1));
  scatters.add(2, other);
  scatters.add(7, one.middleRows(1, 15));
  scatters.add(7, one.bottomRows(7));
  scatters.add(2, other.topRows(0));
  EXPECT_EQ(scatters.keys(), (std::vector<std::int32_t>{2, 7}));
  EXPECT_EQ(scatters.count(7), 23);
  EXPECT_EQ(scatters.count(), 32);
  const Eigen::VectorXd mean = one.cast<double>().colwise().mean().transpose();
  EXPECT_LT((scatters.mean(7) - mean).norm(), 1e-10);
  EXPECT_LT((scatters.covariance(7) - direct_covariance(one)).norm(), 1e-10);
  EXPECT_LT((scatters.covariance(2) - direct_covariance(other)).norm(), 1e-10);
  EXPECT_NEAR(scatters.total_variance(7), direct_covariance(one).trace(), 1e-10);
  const Eigen::MatrixXd pooled =
      (22.0 * direct_covariance(one) + 8.0 * direct_covariance(other)) / 30.0;
  EXPECT_LT((scatters.pooled_covariance() - pooled).norm(), 1e-10);
}

TEST(ClassScatters, of_one_row_are_zero) {
  ClassScatters scatters;
  scatters.add(1, random_rows(1, 3, 4));
  EXPECT_EQ(scatters.covariance(1), Eigen::MatrixXd::Zero(3, 3));
  EXPECT_EQ(scatters.pooled_covariance(), Eigen::MatrixXd::Zero(3, 3));
}

TEST(ClassScatters, go_on_after_save_and_load) {
  const Matrix rows = random_rows(12, 3, 5);
  ClassScatters whole;
  whole.add(1, rows.topRows(5));
  State state;
  whole.save(state);
  ClassScatters again;
  again.load(from_archive(to_archive(state), "test"));
  whole.add(1, rows.bottomRows(7));
  again.add(1, rows.bottomRows(7));
  EXPECT_EQ(whole.covariance(1), again.covariance(1));
  EXPECT_EQ(whole.mean(1), again.mean(1));
  EXPECT_EQ(again.count(), 12);
}

}  // namespace
}  // namespace tyto
