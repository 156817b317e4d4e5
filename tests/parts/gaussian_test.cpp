// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/gaussian/gaussian.hpp"

#include <cmath>
#include <numbers>

#include "math/random_rows.hpp"
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "tyto/core/files/archive.hpp"
#include "tyto/math/covariance.hpp"
#include "tyto/parts/gaussian/gaussian_mixture.hpp"
#include "tyto/parts/gaussian/jittered_gaussian.hpp"

namespace tyto {
namespace {

// The textbook formula, in double, with the inverse and the determinant spelled out.
double direct_log_density(const Eigen::VectorXd& x, const Eigen::VectorXd& mean,
                          const Eigen::MatrixXd& covariance) {
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(covariance);
  const Eigen::VectorXd about = x - mean;
  return -0.5 * (static_cast<double>(x.size()) * std::log(2.0 * std::numbers::pi) +
                 std::log(lu.determinant()) + about.dot(lu.solve(about)));
}

Eigen::MatrixXd covariance_of(const Gaussian& g) {
  Eigen::VectorXd noise = g.noise;
  if (noise.size() == 1) {
    noise.setConstant(g.mean.size(), g.noise[0]);
  }
  const Eigen::MatrixXd factor = g.factor.cast<double>();
  return Eigen::MatrixXd(noise.asDiagonal()) + factor * factor.transpose();
}

Eigen::MatrixXd scatter_of(const Matrix& rows) {
  const Dense<double> about = rows.cast<double>().rowwise() - rows.cast<double>().colwise().mean();
  return about.transpose() * about;
}

Frame no_frame(Index d) {
  return Frame::standardising(Eigen::VectorXd::Zero(d), Eigen::VectorXd::Ones(d));
}

ScatterSketch sketch_of(const Matrix& rows, Index rank) {
  ScatterSketch sketch;
  sketch.add(rows, rank);
  return sketch;
}

// Gaussians of every rank in [0, ranks), round and not.
std::vector<Gaussian> some_gaussians(Index count, Index d, Index ranks, bool round) {
  std::vector<Gaussian> all;
  for (Index k = 0; k < count; ++k) {
    const auto seed = static_cast<std::uint64_t>(100 + k);
    Gaussian g;
    g.mean = random_rows(1, d, seed).row(0).transpose().cast<double>();
    g.noise = random_rows(1, round ? 1 : d, seed + 1000).row(0).transpose().cast<double>();
    g.noise = g.noise.cwiseAbs().array() + 0.5;
    g.factor = random_rows(d, (k * 7) % ranks, seed + 2000);
    all.push_back(g);
  }
  return all;
}

TEST(GaussianSet, agrees_with_the_direct_formula) {
  for (const bool round : {true, false}) {
    const Index d = 7;
    const auto gaussians = some_gaussians(11, d, 5, round);
    const Matrix rows = random_rows(9, d, 1);
    const Matrix found = GaussianSet(no_frame(d), gaussians).log_density(rows);
    ASSERT_EQ(found.cols(), 11);
    for (Index i = 0; i < found.rows(); ++i) {
      for (Index k = 0; k < found.cols(); ++k) {
        const Gaussian& g = gaussians[static_cast<std::size_t>(k)];
        const double expected =
            direct_log_density(rows.row(i).transpose().cast<double>(), g.mean, covariance_of(g));
        EXPECT_NEAR(found(i, k), expected, 1e-4 * std::max(1.0, std::abs(expected)));
      }
    }
  }
}

TEST(GaussianSet, takes_the_volume_of_its_frame_into_account) {
  // In the frame that whitens S about c, the standard normal is N(c, S).
  const Index d = 5;
  const Matrix rows = random_rows(40, d, 3, 2.0);
  const Eigen::MatrixXd covariance = scatter_of(rows) / 39.0;
  const Eigen::VectorXd centre = rows.colwise().mean().transpose().cast<double>();
  const Gaussian standard{Eigen::VectorXd::Zero(d), Eigen::VectorXd::Ones(1),
                          Eigen::MatrixXf(d, 0)};
  const GaussianSet set(Frame::whitening(centre, covariance), {standard});
  const Matrix found = set.log_density(rows);
  for (Index i = 0; i < rows.rows(); ++i) {
    EXPECT_NEAR(found(i, 0),
                direct_log_density(rows.row(i).transpose().cast<double>(), centre, covariance),
                1e-3);
  }
}

TEST(GaussianSet, of_many_chunks_and_blocks_equals_one_at_a_time) {
  // 300 Gaussians of up to 40 directions fill more than one product; 1500 rows more than one block.
  const Index d = 12;
  const auto gaussians = some_gaussians(300, d, 40, true);
  const Matrix rows = random_rows(1500, d, 2);
  const Matrix all = GaussianSet(no_frame(d), gaussians).log_density(rows);
  for (const std::size_t k :
       {std::size_t{0}, std::size_t{17}, std::size_t{123}, std::size_t{299}}) {
    const Matrix one = GaussianSet(no_frame(d), {gaussians[k]}).log_density(rows);
    EXPECT_LT((all.col(static_cast<Index>(k)) - one.col(0)).cwiseAbs().maxCoeff(), 2e-3);
  }
}

TEST(GaussianSet, answers_nothing_to_nothing) {
  EXPECT_EQ(
      GaussianSet(no_frame(3), some_gaussians(2, 3, 2, true)).log_density(Matrix(0, 3)).rows(), 0);
  EXPECT_EQ(GaussianSet().log_density(random_rows(4, 3, 1)).cols(), 0);
}

TEST(ScatterSketch, is_exact_where_the_rank_suffices) {
  const Matrix rows = random_rows(300, 6, 5, 3.0);
  const ScatterSketch sketch = sketch_of(rows, 6);
  const Eigen::MatrixXd basis = sketch.basis().cast<double>();
  EXPECT_EQ(sketch.count(), 300);
  EXPECT_LT((basis.transpose() * basis - scatter_of(rows)).cwiseAbs().maxCoeff(), 1e-2);
  EXPECT_LT(sketch.rest().maxCoeff(), 1e-2);
  EXPECT_LT(
      (sketch.mean() - rows.colwise().mean().transpose().cast<double>()).cwiseAbs().maxCoeff(),
      1e-5);
}

TEST(ScatterSketch, of_two_lessons_is_that_of_one) {
  const Matrix rows = random_rows(90, 5, 6, 1.0);
  ScatterSketch twice = sketch_of(rows.topRows(31), 5);
  twice.add(rows.bottomRows(59), 5);
  const Eigen::MatrixXd basis = twice.basis().cast<double>();
  EXPECT_LT((basis.transpose() * basis - scatter_of(rows)).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(ScatterSketch, keeps_the_strong_directions_and_the_diagonal_of_all) {
  // Column 2 is spread ten times as wide as the others: the one direction kept is its axis.
  Matrix rows = random_rows(400, 8, 7);
  rows.col(2) *= 10.0F;
  const ScatterSketch sketch = sketch_of(rows, 1);
  ASSERT_EQ(sketch.basis().rows(), 1);
  const Vector axis = sketch.basis().row(0).transpose().normalized();
  EXPECT_GT(std::abs(axis[2]), 0.99F);
  const Eigen::VectorXd expected = scatter_of(rows).diagonal();
  EXPECT_LT((sketch.diagonal() - expected).cwiseQuotient(expected).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(ScatterSketch, of_equal_rows_and_of_one_row_is_nothing) {
  for (const Index n : {Index{1}, Index{50}}) {
    const ScatterSketch sketch = sketch_of(Matrix::Constant(n, 4, 2.5F), 4);
    EXPECT_EQ(sketch.basis().rows(), 0);
    EXPECT_EQ(sketch.diagonal().maxCoeff(), 0.0);
    EXPECT_EQ(sketch.mean()[3], 2.5);
  }
}

TEST(ScatterSketch, is_the_same_after_save_and_load) {
  const std::vector<ScatterSketch> sketches{sketch_of(random_rows(30, 4, 1), 2),
                                            sketch_of(random_rows(1, 4, 2), 2),
                                            sketch_of(random_rows(9, 4, 3), 4)};
  State state;
  ScatterSketch::save(sketches, state);
  const auto again = ScatterSketch::loaded(from_archive(to_archive(state), "test"));
  ASSERT_EQ(again.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(again[k].count(), sketches[k].count());
    EXPECT_EQ(again[k].mean(), sketches[k].mean());
    EXPECT_EQ(again[k].rest(), sketches[k].rest());
    EXPECT_EQ(again[k].basis(), sketches[k].basis());
  }
}

TEST(OwnGaussian, is_the_shrunk_covariance_of_the_rows) {
  // e = 0.3: 0.7 S + 0.3 t I with t = ((n - 1) tr S / d + 1) / n.
  const Index d = 4;
  const Matrix rows = random_rows(25, d, 8);
  const Eigen::MatrixXd s = scatter_of(rows) / 24.0;
  const double t = (24.0 * s.trace() / 4.0 + 1.0) / 25.0;
  const Eigen::MatrixXd expected = 0.7 * s + 0.3 * t * Eigen::MatrixXd::Identity(d, d);
  const Gaussian g = own_gaussian(sketch_of(rows, d), no_frame(d), 0.3);
  EXPECT_LT((covariance_of(g) - expected).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_EQ(g.factor.cols(), d - 1);  // the weakest direction is in the noise
}

TEST(OwnGaussian, chooses_the_weight_by_oas) {
  const Index d = 4;
  const Matrix rows = random_rows(12, d, 9);
  const Eigen::MatrixXd s = scatter_of(rows) / 11.0;
  const double e = oas_shrinkage(s, 11.0);
  const double t = (11.0 * s.trace() / 4.0 + 1.0) / 12.0;
  const Eigen::MatrixXd expected = (1.0 - e) * s + e * t * Eigen::MatrixXd::Identity(d, d);
  EXPECT_LT((covariance_of(own_gaussian(sketch_of(rows, d), no_frame(d), 0.0)) - expected)
                .cwiseAbs()
                .maxCoeff(),
            1e-4);
}

TEST(OwnGaussian, of_fewer_rows_than_columns_can_be_scored) {
  const Index d = 50;
  const Matrix rows = random_rows(6, d, 10);
  const Gaussian g = own_gaussian(sketch_of(rows, d), no_frame(d), 0.0);
  EXPECT_LE(g.factor.cols(), 5);
  EXPECT_GT(g.noise[0], 0.0);
  const Matrix queries = random_rows(3, d, 11);
  const Matrix found = GaussianSet(no_frame(d), {g}).log_density(queries);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(
        found(i, 0),
        direct_log_density(queries.row(i).transpose().cast<double>(), g.mean, covariance_of(g)),
        1e-3);
  }
}

TEST(OwnGaussian, of_one_row_or_of_equal_rows_leans_on_what_is_shared) {
  const Matrix one = Matrix::Constant(1, 3, 4.0F);
  const Gaussian lone = own_gaussian(sketch_of(one, 3), no_frame(3), 0.0);
  EXPECT_EQ(covariance_of(lone), Eigen::MatrixXd(Eigen::MatrixXd::Identity(3, 3)));
  // Ten equal rows: S = 0, so e = 1 and t = (9 * 0 + 1) / 10.
  const Gaussian equal =
      own_gaussian(sketch_of(Matrix::Constant(10, 3, 4.0F), 3), no_frame(3), 0.0);
  EXPECT_NEAR(equal.noise[0], 0.1, 1e-12);
  EXPECT_EQ(equal.factor.cols(), 0);
}

TEST(DiagonalGaussian, shrinks_each_variance_towards_one) {
  // Column variances 2 and 0 of three rows; e = 0.25: 0.75 * 2 + 0.25 and 0.25.
  Matrix rows(3, 2);
  rows << 0, 5, static_cast<float>(std::sqrt(2.0)), 5, static_cast<float>(2.0 * std::sqrt(2.0)), 5;
  const Gaussian g = diagonal_gaussian(sketch_of(rows, 0), no_frame(2), 0.25);
  EXPECT_NEAR(g.noise[0], 1.75, 1e-6);
  EXPECT_NEAR(g.noise[1], 0.25, 1e-6);
  // Chosen: 4 / (3 + 3) = 2/3, so 2/3 + 2/3 and 2/3.
  const Gaussian chosen = diagonal_gaussian(sketch_of(rows, 0), no_frame(2), 0.0);
  EXPECT_NEAR(chosen.noise[0], 4.0 / 3.0, 1e-6);
  EXPECT_NEAR(chosen.noise[1], 2.0 / 3.0, 1e-6);
}

TEST(GaussianMixtures, weigh_their_components) {
  // One mixture of N(0, 1) and N(4, 1) at 3 : 1, another of N(0, 1) alone; at x = 0:
  // log(3/4 phi(0) + 1/4 phi(4)) and log phi(0).
  const auto at = [](double mean) {
    return Gaussian{Eigen::VectorXd::Constant(1, mean), Eigen::VectorXd::Ones(1),
                    Eigen::MatrixXf(1, 0)};
  };
  const std::vector<double> weight{30, 10, 5};
  const GaussianMixtures mixtures(no_frame(1), {at(0), at(4), at(0)}, {0, 0, 1}, weight);
  const Matrix found = mixtures.log_density(Matrix::Zero(1, 1));
  const double phi0 = 1.0 / std::sqrt(2.0 * std::numbers::pi);
  const double phi4 = phi0 * std::exp(-8.0);
  EXPECT_NEAR(found(0, 0), std::log(0.75 * phi0 + 0.25 * phi4), 1e-6);
  EXPECT_NEAR(found(0, 1), std::log(phi0), 1e-6);
  EXPECT_EQ(mixtures.size(), 2);
}

TEST(GaussianMixtures, far_away_stay_finite) {
  const auto gaussians = some_gaussians(4, 3, 2, true);
  const std::vector<double> weight{1, 1, 1, 1};
  const GaussianMixtures mixtures(no_frame(3), gaussians, {0, 0, 1, 1}, weight);
  const Matrix found = mixtures.log_density(Matrix::Constant(2, 3, 1e6F));
  EXPECT_TRUE(found.array().isFinite().all());
  EXPECT_LT(found.maxCoeff(), -1e6F);
}

TEST(JitteredGaussian, leaves_a_regular_covariance_alone) {
  const Matrix rows = random_rows(30, 4, 12);
  const JitteredGaussian g(rows, 0.5, 2);
  const Dense<double> queries = random_rows(5, 4, 13).cast<double>();
  const Eigen::VectorXd found = g.log_density(queries);
  const Eigen::VectorXd mean = rows.cast<double>().colwise().mean().transpose();
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(found[i],
                direct_log_density(queries.row(i).transpose(), mean, scatter_of(rows) / 29.0),
                1e-9);
  }
}

TEST(JitteredGaussian, adds_epsilon_where_the_covariance_is_singular) {
  const Index d = 9;
  const Matrix rows = random_rows(4, d, 14);
  const JitteredGaussian g(rows, 0.01, 2);
  EXPECT_EQ(g.directions(), 3);
  const Eigen::MatrixXd covariance =
      scatter_of(rows) / 3.0 + 0.01 * Eigen::MatrixXd::Identity(d, d);
  const Dense<double> queries = random_rows(5, d, 15).cast<double>();
  const Eigen::VectorXd found = g.log_density(queries);
  const Eigen::VectorXd mean = rows.cast<double>().colwise().mean().transpose();
  for (Index i = 0; i < 5; ++i) {
    const double expected = direct_log_density(queries.row(i).transpose(), mean, covariance);
    EXPECT_NEAR(found[i], expected, 1e-9 * std::abs(expected));
  }
}

TEST(JitteredGaussian, stays_finite_with_the_tiny_epsilon_of_the_release) {
  // Ten rows in 100 columns at 1e-12: the authors' case. In the sample the quadratic form is
  // (n - 1)^2 / n = 8.1 on average, far from the 1e12 of a step off the span.
  const Index d = 100;
  const Matrix rows = random_rows(10, d, 16);
  const JitteredGaussian g(rows, 1e-12, 2);
  ASSERT_EQ(g.directions(), 9);
  const Eigen::VectorXd inside = g.log_density(rows.cast<double>());
  const double norm = inside.mean();
  // log det = sum of log variances along 9 axes + 91 log 1e-12
  EXPECT_GT(norm, 0.5 * 91 * 12 * std::log(10.0) - 200.0);
  EXPECT_LT(inside.maxCoeff() - inside.minCoeff(), 10.0);
  Dense<double> away = rows.topRows(1).cast<double>();
  away(0, 0) += 1.0;
  EXPECT_LT(g.log_density(away)[0], -1e10);
  EXPECT_TRUE(std::isfinite(g.log_density(away)[0]));
}

TEST(JitteredGaussian, of_too_few_or_equal_rows_is_a_tiny_sphere) {
  for (const Index n : {Index{1}, Index{3}}) {
    const JitteredGaussian g(Matrix::Constant(n, 2, 1.0F), 0.25, 2);
    // At the mean: -(2 log 2 pi + 2 log 0.25) / 2.
    EXPECT_NEAR(g.log_density(Dense<double>::Constant(1, 2, 1.0))[0],
                -std::log(2.0 * std::numbers::pi) - std::log(0.25), 1e-12);
  }
}

}  // namespace
}  // namespace tyto
