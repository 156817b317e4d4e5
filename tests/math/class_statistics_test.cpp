// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/class_statistics.hpp"

#include "math/random_rows.hpp"
#include <gtest/gtest.h>

#include "tyto/math/covariance.hpp"
#include "tyto/math/eigen_symmetric.hpp"

namespace tyto {
namespace {

TEST(ClassStatistics, of_a_hand_worked_case) {
  Matrix rows(3, 2);
  rows << 0, 0, 2, 4, 7, 7;
  const std::vector<std::int32_t> keys{5, 5, 2};
  ClassStatistics statistics(Scatter::full);
  statistics.add(rows, keys);
  EXPECT_EQ(statistics.keys(), (std::vector<std::int32_t>{2, 5}));
  EXPECT_EQ(statistics.counts(), (std::vector<Index>{1, 2}));
  Dense<double> means(2, 2);
  means << 7, 7, 1, 2;
  EXPECT_EQ(statistics.means(), means);
  // class 5: deviations (-1,-2), (1,2); scatter 2 [1 2; 2 4] over n - k = 1
  Eigen::MatrixXd covariance(2, 2);
  covariance << 2, 4, 4, 8;
  EXPECT_EQ(statistics.covariance(), covariance);
  EXPECT_DOUBLE_EQ(statistics.variance(), 5.0);
}

TEST(ClassStatistics, in_pieces_equal_the_direct_formula_far_from_the_origin) {
  const Matrix rows = random_rows(5000, 6, 7, 1000.0);
  std::vector<std::int32_t> keys;
  for (Index i = 0; i < rows.rows(); ++i) {
    keys.push_back(static_cast<std::int32_t>(i * i % 7));
  }
  ClassStatistics pieces(Scatter::full);
  ClassStatistics thin(Scatter::diagonal);
  for (const auto& [begin, count] : {std::pair{0, 1}, {1, 2999}, {3000, 2000}}) {
    const auto part =
        std::span(keys).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
    pieces.add(rows.middleRows(begin, count), part);
    thin.add(rows.middleRows(begin, count), part);
  }
  Dense<double> means = Dense<double>::Zero(7, 6);
  Eigen::VectorXd counts = Eigen::VectorXd::Zero(7);
  for (Index i = 0; i < rows.rows(); ++i) {
    means.row(keys[static_cast<std::size_t>(i)]) += rows.row(i).cast<double>();
    counts[keys[static_cast<std::size_t>(i)]] += 1;
  }
  Eigen::MatrixXd scatter = Eigen::MatrixXd::Zero(6, 6);
  Index present = 0;
  for (Index c = 0; c < 7; ++c) {
    if (counts[c] > 0) {
      means.row(c) /= counts[c];
      EXPECT_LT((pieces.means().row(present++) - means.row(c)).norm(), 1e-9);
    }
  }
  for (Index i = 0; i < rows.rows(); ++i) {
    const Eigen::RowVectorXd off =
        rows.row(i).cast<double>() - means.row(keys[static_cast<std::size_t>(i)]);
    scatter += off.transpose() * off;
  }
  scatter /= static_cast<double>(5000 - present);
  EXPECT_EQ(pieces.classes(), present);
  EXPECT_LT((pieces.covariance() - scatter).norm(), 1e-9);
  EXPECT_NEAR(thin.variance(), scatter.trace() / 6, 1e-9);
}

TEST(ClassStatistics, live_on_after_save_and_load) {
  const Matrix rows = random_rows(50, 3, 8);
  const std::vector<std::int32_t> keys(50, 4);
  ClassStatistics once(Scatter::full);
  once.add(rows, keys);
  State state;
  once.save(state);
  ClassStatistics again(Scatter::full);
  again.load(state);
  once.add(rows, keys);
  again.add(rows, keys);
  EXPECT_EQ(once.covariance(), again.covariance());
  EXPECT_EQ(once.means(), again.means());
  EXPECT_EQ(again.count(), 100);
}

TEST(ShrunkCovariance, is_solvable_with_fewer_rows_than_columns) {
  ClassStatistics statistics(Scatter::full);
  statistics.add(random_rows(5, 40, 9));
  const Eigen::MatrixXd covariance = shrunk_covariance(statistics, 0.0);
  EXPECT_GT(eigen_symmetric(covariance).values.minCoeff(), 1e-3);
  EXPECT_NEAR(covariance.trace(), statistics.covariance().trace(), 1e-9);
}

TEST(ShrunkCovariance, is_the_identity_without_any_spread) {
  ClassStatistics statistics(Scatter::full);
  statistics.add(Matrix::Ones(4, 3));
  EXPECT_EQ(shrunk_covariance(statistics, 0.0), Eigen::MatrixXd::Identity(3, 3));
}

TEST(OasShrinkage, of_a_hand_worked_case) {
  // S = diag(3, 1): tr S^2 = 10, (tr S)^2 = 16, d = 2; 16 / ((9 + 1 - 1) (10 - 8)) = 8/9
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(2, 2);
  covariance.diagonal() << 3, 1;
  EXPECT_NEAR(oas_shrinkage(covariance, 9), 8.0 / 9.0, 1e-12);
  EXPECT_EQ(oas_shrinkage(Eigen::MatrixXd::Identity(2, 2), 9), 1.0);
}

TEST(EigenSymmetric, orders_and_signs_a_hand_worked_case) {
  Eigen::MatrixXd matrix(2, 2);
  matrix << 2, -1, -1, 2;  // 3 with (1, -1), 1 with (1, 1)
  const Spectrum spectrum = eigen_symmetric(matrix);
  EXPECT_NEAR(spectrum.values[0], 3, 1e-12);
  EXPECT_NEAR(spectrum.values[1], 1, 1e-12);
  EXPECT_NEAR(spectrum.vectors(0, 1), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(spectrum.vectors.col(0).sum(), 0, 1e-12);
}

TEST(EigenSymmetric, puts_the_matrix_together_again) {
  const Eigen::MatrixXd half = random_rows(9, 9, 10).cast<double>();
  const Eigen::MatrixXd matrix = half * half.transpose();
  const Spectrum spectrum = eigen_symmetric(matrix);
  const Eigen::MatrixXd again =
      spectrum.vectors * spectrum.values.asDiagonal() * spectrum.vectors.transpose();
  EXPECT_LT((again - matrix).norm(), 1e-10);
}

}  // namespace
}  // namespace tyto
