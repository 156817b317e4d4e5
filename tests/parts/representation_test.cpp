// SPDX-License-Identifier: Apache-2.0
#include "parts/toy_experience.hpp"
#include <Eigen/LU>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tyto/math/covariance.hpp"
#include "tyto/math/eigen_symmetric.hpp"

namespace tyto {
namespace {

constexpr Slot kRepresents = Slot::representation;

TEST(Identity, gives_the_rows_as_they_are) {
  const Matrix rows = random_rows(3, 2, 1);
  EXPECT_EQ(make_part<Representation>(kRepresents, "identity")->represent(rows), rows);
}

TEST(UnitLength, scales_rows_and_leaves_zeros) {
  Matrix rows(3, 2);
  rows << 3, 4, 0, 0, 0, 1e-30F;
  Matrix expected(3, 2);
  expected << 0.6F, 0.8F, 0, 0, 0, 1;
  const Matrix out = make_part<Representation>(kRepresents, "l2")->represent(rows);
  EXPECT_LT((out - expected).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Standardise, uses_the_fit_rows_alone_and_sets_constant_columns_to_zero) {
  Matrix rows(4, 2);
  rows << 1, 7, 3, 7, 5, 7, 100, 9;  // the last is held out; mean 3, variance (4 + 0 + 4) / 3
  ToyWork work;
  auto part = make_part<Representation>(kRepresents, "standardise");
  EXPECT_TRUE(part->adapt(
      ToyExperience(rows, {1, 1, 0, 1}, {Role::fit, Role::fit, Role::fit, Role::hold}), work));
  const Matrix out = part->represent(rows);
  EXPECT_NEAR(out(0, 0), -2.0 / std::sqrt(8.0 / 3.0), 1e-6);
  EXPECT_NEAR(out(3, 0), 97.0 / std::sqrt(8.0 / 3.0), 1e-4);
  EXPECT_EQ(out.col(1), Vector::Zero(4));
}

TEST(Standardise, stays_as_first_fitted_unless_told_otherwise) {
  const Matrix first = random_rows(20, 3, 2);
  const Matrix later = random_rows(20, 3, 3, 5.0);
  const std::vector<int> labels(20, 1);
  ToyWork work;
  for (const bool always : {false, true}) {
    auto part =
        make_part<Representation>(kRepresents, "standardise", always ? "{refit: always}" : "{}");
    part->adapt(ToyExperience(first, labels), work);
    const Matrix before = part->represent(first);
    EXPECT_EQ(part->adapt(ToyExperience(later, labels), work), always);
    EXPECT_EQ(part->represent(first) == before, !always);
    EXPECT_FALSE(part->adapt(ToyExperience(later, labels), work));  // the same again: not moved
  }
}

TEST(Standardise, refuses_to_be_used_or_fitted_without_rows) {
  ToyWork work;
  auto part = make_part<Representation>(kRepresents, "standardise");
  EXPECT_THROW(part->represent(random_rows(1, 2, 1)), Error);
  EXPECT_THROW(part->adapt(ToyExperience(random_rows(1, 2, 1), {1}, {Role::hold}), work), Error);
}

TEST(Pca, finds_the_axis_of_a_hand_worked_case) {
  Matrix rows(4, 2);
  rows << 1, 1, -1, -1, 2, 2, -2, -2;  // all on the diagonal: one direction (1, 1) / sqrt 2
  ToyWork work;
  auto part = make_part<Representation>(kRepresents, "pca", "{variance: 0.99}");
  EXPECT_TRUE(part->adapt(ToyExperience(rows, {1, 1, 1, 1}), work));
  const Matrix out = part->represent(rows);
  ASSERT_EQ(out.cols(), 1);
  EXPECT_NEAR(out(0, 0), std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(out(3, 0), -2.0 * std::sqrt(2.0), 1e-6);
}

TEST(Pca, whitens_to_unit_covariance_and_keeps_the_mean_at_zero) {
  Matrix rows = random_rows(300, 5, 4, 10.0);
  rows.col(2) += 3.0F * rows.col(0);
  ToyWork work;
  auto part = make_part<Representation>(kRepresents, "pca", "{components: 4, whiten: true}");
  part->adapt(ToyExperience(rows, std::vector<int>(300, 1)), work);
  const Matrix out = part->represent(rows);
  ASSERT_EQ(out.cols(), 4);
  EXPECT_LT(out.colwise().mean().cwiseAbs().maxCoeff(), 1e-4);
  const Matrix covariance = out.transpose() * out / 299.0F;
  EXPECT_LT((covariance - Matrix::Identity(4, 4)).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Pca, preserves_distances_when_all_directions_are_kept) {
  const Matrix rows = random_rows(6, 9, 5);  // fewer rows than columns
  ToyWork work;
  auto part = make_part<Representation>(kRepresents, "pca", "{variance: 1.0}");
  part->adapt(ToyExperience(rows, std::vector<int>(6, 1)), work);
  const Matrix out = part->represent(rows);
  EXPECT_NEAR((out.row(0) - out.row(5)).norm(), (rows.row(0) - rows.row(5)).norm(), 1e-4);
  EXPECT_LE(out.cols(), 9);
}

// The full form: eigenvectors of the d x d covariance.
Matrix by_covariance(const Matrix& rows, const Matrix& queries, Index components) {
  const Eigen::RowVectorXd mean = rows.cast<double>().colwise().mean();
  const Eigen::MatrixXd off = rows.cast<double>().rowwise() - mean;
  const Spectrum spectrum =
      eigen_symmetric(off.transpose() * off / static_cast<double>(rows.rows() - 1));
  return ((queries.cast<double>().rowwise() - mean) * spectrum.vectors.leftCols(components))
      .cast<float>();
}

TEST(Pca, of_fewer_rows_than_columns_is_what_the_covariance_gives) {
  const Matrix rows = random_rows(15, 60, 7, 2.0);
  const Matrix queries = random_rows(9, 60, 8, 2.0);
  ToyWork work;
  auto part = make_part<Representation>(kRepresents, "pca", "{components: 10}");
  part->adapt(ToyExperience(rows, std::vector<int>(15, 1)), work);
  EXPECT_LT((part->represent(queries) - by_covariance(rows, queries, 10)).cwiseAbs().maxCoeff(),
            1e-4);
}

TEST(Pca, gives_as_many_directions_as_asked_for_where_rows_have_fewer) {
  const Matrix rows = random_rows(5, 30, 9);
  const Matrix queries = random_rows(8, 30, 10);
  ToyWork work;
  for (const char* options : {"{components: 30}", "{components: 12}"}) {
    auto part = make_part<Representation>(kRepresents, "pca", options);
    part->adapt(ToyExperience(rows, std::vector<int>(5, 1)), work);
    const Matrix out = part->represent(queries);
    ASSERT_EQ(out.cols(), options == std::string("{components: 30}") ? 30 : 12);
    // At right angles: with all of them nothing is lost, with some nothing is added.
    const float before = (queries.row(0) - queries.row(7)).norm();
    const float after = (out.row(0) - out.row(7)).norm();
    EXPECT_LE(after, before * 1.0001F);
    EXPECT_EQ(after > before * 0.9999F, out.cols() == 30);
  }
  auto white = make_part<Representation>(kRepresents, "pca", "{components: 12, whiten: true}");
  white->adapt(ToyExperience(rows, std::vector<int>(5, 1)), work);
  const Matrix out = white->represent(queries);
  EXPECT_EQ(out.rightCols(8), Matrix::Zero(8, 8));  // rows about their mean have 4 directions
  EXPECT_GT(out.leftCols(4).cwiseAbs().minCoeff(), 0.0F);
}

TEST(Pca, fits_wide_pictures_in_the_number_of_rows) {
  // 12,288 columns: the covariance alone would take 1.2 GB.
  const Matrix rows = random_rows(40, 12288, 11);
  ToyWork work;
  auto part = make_part<Representation>(kRepresents, "pca", "{variance: 1.0}");
  part->adapt(ToyExperience(rows, std::vector<int>(40, 1)), work);
  const Matrix out = part->represent(rows);
  EXPECT_EQ(out.cols(), 39);
  EXPECT_NEAR((out.row(0) - out.row(39)).norm(), (rows.row(0) - rows.row(39)).norm(), 1e-2);
}

TEST(Whiten, of_fewer_rows_than_columns_has_the_distances_of_the_full_form) {
  const ToyClasses toy(3, 5, 24, 12);
  const Matrix queries = random_rows(9, 24, 13);
  ToyWork work;
  for (const double shrinkage : {0.0, 0.3}) {
    auto part = make_part<Representation>(kRepresents, "whiten",
                                          fmt::format("{{shrinkage: {}}}", shrinkage));
    part->adapt(ToyExperience(toy.features, toy.labels), work);
    part = reloaded(part, kRepresents, "whiten", fmt::format("{{shrinkage: {}}}", shrinkage));
    ClassStatistics statistics(Scatter::full);
    statistics.add(toy.features, std::vector<std::int32_t>(toy.labels.begin(), toy.labels.end()));
    const Eigen::MatrixXd inverse = shrunk_covariance(statistics, shrinkage).inverse();
    const Matrix out = part->represent(queries);
    ASSERT_EQ(out.cols(), 24);
    for (Index i = 1; i < 9; ++i) {
      const Eigen::RowVectorXd off = (queries.row(i) - queries.row(0)).cast<double>();
      const double expected = (off * inverse).dot(off);
      EXPECT_NEAR((out.row(i) - out.row(0)).squaredNorm(), expected, 1e-3 * expected) << shrinkage;
    }
  }
}

TEST(Whiten, leaves_rows_without_spread_as_they_are_but_for_the_mean) {
  ToyWork work;
  auto part = make_part<Representation>(kRepresents, "whiten");
  part->adapt(ToyExperience(Matrix::Ones(2, 3), {1, 1}), work);
  EXPECT_LT((part->represent(Matrix{{1, 2, 3}}) - Matrix{{0, 1, 2}}).norm(), 1e-6);
}

TEST(Pca, of_constant_features_is_zero_even_whitened) {
  ToyWork work;
  auto part = make_part<Representation>(kRepresents, "pca", "{whiten: true}");
  part->adapt(ToyExperience(Matrix::Ones(4, 3), {1, 1, 1, 1}), work);
  const Matrix out = part->represent(Matrix::Ones(2, 3));
  EXPECT_EQ(out, Matrix::Zero(2, out.cols()));
}

TEST(Pca, names_both_numbers_when_too_many_components_are_asked_for) {
  ToyWork work;
  auto part = make_part<Representation>(kRepresents, "pca", "{components: 4}");
  try {
    part->adapt(ToyExperience(Matrix::Ones(4, 3), {1, 1, 1, 1}), work);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "pca.components is 4, but features have 3 columns");
  }
}

TEST(Representations, are_the_same_after_save_and_load) {
  const Matrix rows = random_rows(30, 4, 6);
  ToyWork work;
  for (const PartSpec& spec : part_specs()) {
    if (spec.slots.front() != kRepresents) {
      continue;
    }
    auto part = make_part<Representation>(kRepresents, spec.name);
    part->adapt(ToyExperience(rows, std::vector<int>(30, 1)), work);
    const auto again = reloaded(part, kRepresents, spec.name);
    EXPECT_EQ(part->represent(rows), again->represent(rows)) << spec.name;
    EXPECT_EQ(part->represent(Matrix()).rows(), 0) << spec.name;
  }
}

}  // namespace
}  // namespace tyto
