// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/row_scatter.hpp"

#include <cmath>

#include "math/random_rows.hpp"
#include <gtest/gtest.h>

#include "tyto/core/files/archive.hpp"
#include "tyto/math/thin_spectrum.hpp"

namespace tyto {
namespace {

// Few rows whose directions differ in strength.
Matrix uneven_rows(Index n, Index d, std::uint64_t seed) {
  Matrix rows = random_rows(n, d, seed);
  for (Index j = 0; j < d; ++j) {
    rows.col(j) *= 1.0F + 5.0F * static_cast<float>(j % 7);
  }
  return rows.array() + 3.0F;
}

Spectrum full_spectrum(const Matrix& rows, const Eigen::RowVectorXd& origin, double weight) {
  const Eigen::MatrixXd off = rows.cast<double>().rowwise() - origin;
  return eigen_symmetric(off.transpose() * off / weight);
}

void expect_the_same(const Spectrum& thin, const Spectrum& full, Index rank) {
  ASSERT_EQ(thin.values.size(), rank);
  ASSERT_EQ(thin.vectors.cols(), rank);
  const double most = full.values[0];
  EXPECT_LT((thin.values - full.values.head(rank)).cwiseAbs().maxCoeff(), 1e-10 * most);
  for (Index j = rank; j < full.values.size(); ++j) {
    EXPECT_LT(std::abs(full.values[j]), 1e-10 * most);
  }
  EXPECT_LT((thin.vectors - full.vectors.leftCols(rank)).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(RowScatter, of_few_rows_equals_the_full_form) {
  const Matrix rows = uneven_rows(12, 40, 1);
  RowScatter scatter;
  scatter.add(rows.topRows(5));
  scatter.add(rows.bottomRows(7));
  ASSERT_TRUE(scatter.is_thin());
  const Eigen::RowVectorXd mean = rows.cast<double>().colwise().mean();
  EXPECT_LT((scatter.mean() - mean).norm(), 1e-10);
  expect_the_same(scatter.spectrum(), full_spectrum(rows, mean, 11.0), 11);  // one is the mean
  const Eigen::RowVectorXd origin = Eigen::RowVectorXd::LinSpaced(40, -2.0, 2.0);
  expect_the_same(scatter.spectrum_about(origin), full_spectrum(rows, origin, 12.0), 12);
}

TEST(RowScatter, sums_up_once_the_rows_are_as_many_as_columns) {
  const Matrix rows = uneven_rows(30, 10, 2);
  RowScatter scatter;
  for (Index begin = 0; begin < 30; begin += 6) {
    EXPECT_EQ(scatter.is_thin(), begin < 10) << begin;
    scatter.add(rows.middleRows(begin, 6));
    EXPECT_EQ(scatter.count(), begin + 6);
  }
  const Eigen::RowVectorXd mean = rows.cast<double>().colwise().mean();
  expect_the_same(scatter.spectrum(), full_spectrum(rows, mean, 29.0), 10);
  expect_the_same(scatter.spectrum_about(mean * 2.0), full_spectrum(rows, mean * 2.0, 30.0), 10);
}

TEST(RowScatter, is_the_same_after_save_and_load) {
  for (const Index n : {4, 20}) {
    RowScatter scatter;
    scatter.add(uneven_rows(n, 9, 3));
    State state;
    scatter.save(state);
    RowScatter again;
    again.add(uneven_rows(2, 9, 8));
    again.load(from_archive(to_archive(state), "test"));
    again.add(uneven_rows(7, 9, 4));
    scatter.add(uneven_rows(7, 9, 4));
    EXPECT_EQ(again.spectrum().vectors, scatter.spectrum().vectors);
    EXPECT_EQ(again.count(), n + 7);
  }
}

TEST(ThinSpectrum, leaves_out_what_rows_have_not_got) {
  Dense<double> rows = Dense<double>::Zero(3, 5);
  rows(0, 4) = 3.0;
  rows(1, 4) = -4.0;  // one direction, 25 in all
  const Spectrum one = thin_spectrum(rows, 5.0);
  ASSERT_EQ(one.values.size(), 1);
  EXPECT_NEAR(one.values[0], 5.0, 1e-12);
  EXPECT_NEAR(one.vectors(4, 0), 1.0, 1e-12);
  const Spectrum none = thin_spectrum(Dense<double>::Zero(3, 5), 5.0);
  ASSERT_EQ(none.values.size(), 1);
  EXPECT_EQ(none.values[0], 0.0);
  EXPECT_NEAR(none.vectors.col(0).norm(), 1.0, 1e-12);
}

TEST(ThinSpectrum, has_weak_directions_at_right_angles_too) {
  // The last row differs from the first by a millionth: its own direction is 1e-12 of the whole.
  Dense<double> rows = random_rows(6, 200, 5).cast<double>();
  rows.row(5) = rows.row(0) + 3e-5 * rows.row(5);
  const Spectrum found = thin_spectrum(rows, 1.0);
  ASSERT_EQ(found.values.size(), 6);
  const Eigen::MatrixXd products = found.vectors.transpose() * found.vectors;
  EXPECT_LT((products - Eigen::MatrixXd::Identity(6, 6)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(WithMoreDirections, keeps_those_given_and_adds_others_at_right_angles) {
  const Spectrum found = thin_spectrum(random_rows(4, 9, 6).cast<double>(), 1.0);
  for (const Index count : {4, 7, 9}) {
    const Eigen::MatrixXd more = with_more_directions(found.vectors, count);
    ASSERT_EQ(more.cols(), count);
    EXPECT_EQ(more.leftCols(4), found.vectors);
    const Eigen::MatrixXd products = more.transpose() * more;
    EXPECT_LT((products - Eigen::MatrixXd::Identity(count, count)).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(EigenSymmetric, is_exact_where_it_goes_in_steps) {
  for (const Index n : {512, 601}) {
    const Eigen::MatrixXd rows = random_rows(n + 50, n, 7).cast<double>();
    const Eigen::MatrixXd matrix = rows.transpose() * rows;
    const Spectrum found = eigen_symmetric(matrix);
    const double most = found.values[0];
    EXPECT_LT(
        (matrix * found.vectors - found.vectors * found.values.asDiagonal()).cwiseAbs().maxCoeff(),
        1e-10 * most);
    EXPECT_LT((found.vectors.transpose() * found.vectors - Eigen::MatrixXd::Identity(n, n))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-11);
    for (Index j = 1; j < n; ++j) {
      ASSERT_GE(found.values[j - 1], found.values[j]);
    }
  }
}

}  // namespace
}  // namespace tyto
