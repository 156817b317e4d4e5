// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/gaussian_groups.hpp"

#include <cmath>
#include <numbers>

#include "cluster/group_rows.hpp"
#include "cluster/toy_cluster.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::Each;

TEST(GaussianGroups, have_the_moments_of_their_rows) {
  // {0, 2}: mean 1, variance 1; {10, 14}: 12 and 4. Two columns: spherical is the mean of both.
  Matrix rows(4, 2);
  rows << 0, 0, 2, 0, 10, 1, 14, 3;
  const std::vector<std::int32_t> start{0, 0, 1, 1};
  GaussianGroupsOptions options;
  options.floor = 0.0;
  const GaussianGroups round = gaussians_of(rows, start, 2, options);
  EXPECT_NEAR(round.means(1, 0), 12.0, 1e-9);
  EXPECT_NEAR(round.variances(0, 0), 0.5, 1e-9);  // (1 + 0) / 2
  EXPECT_NEAR(round.variances(1, 1), 2.5, 1e-9);  // (4 + 1) / 2
  options.spherical = false;
  const GaussianGroups diagonal = gaussians_of(rows, start, 2, options);
  EXPECT_NEAR(diagonal.variances(1, 0), 4.0, 1e-9);
  EXPECT_NEAR(diagonal.variances(1, 1), 1.0, 1e-9);
  EXPECT_NEAR(diagonal.weights[0], 0.5, 1e-9);
}

TEST(GaussianGroups, likelihood_is_that_of_the_formula_and_labels_overrule_it) {
  // One step from two unit Gaussians at 0 and 4 with equal weights.
  const Matrix rows = toy::column({0, 4, 4});
  GaussianGroups groups;
  groups.weights = Eigen::VectorXd::Constant(2, 0.5);
  groups.means = Dense<double>(2, 1);
  groups.means << 0, 4;
  groups.variances = Dense<double>::Ones(2, 1);
  GaussianGroupsOptions options;
  options.iterations = 0;
  const std::vector<std::int32_t> pinned{-1, -1, 0};
  fit_gaussians(groups, rows, pinned, options);
  const double one = std::log(0.5 * (1.0 + std::exp(-8.0)) / std::sqrt(2.0 * std::numbers::pi));
  EXPECT_NEAR(groups.log_likelihood, one, 1e-9);
  EXPECT_THAT(groups.group, testing::ElementsAre(0, 1, 0));
}

TEST(GaussianGroups, likelihood_never_falls_without_labels) {
  Rng rng(2);
  const toy::Blobs blobs = toy::make_blobs(rng, 3, 40, 3, 2.0);
  std::vector<std::int32_t> start(blobs.truth.size(), 0);
  for (std::size_t i = 0; i < start.size(); ++i) {
    start[i] = static_cast<std::int32_t>(i / 5 % 3);
  }
  const std::vector<std::int32_t> free(start.size(), -1);
  GaussianGroupsOptions options;
  options.floor = 0.0;
  options.tolerance = 0.0;
  double before = -1e30;
  for (Index iterations = 0; iterations < 12; ++iterations) {
    options.iterations = iterations;
    GaussianGroups groups = gaussians_of(blobs.rows, start, 3, options);
    fit_gaussians(groups, blobs.rows, free, options);
    EXPECT_GE(groups.log_likelihood, before - 1e-9);
    before = groups.log_likelihood;
  }
}

TEST(SsGmm, tells_a_narrow_group_inside_a_wide_one) {
  // Both about 0: k-means cannot, one variance per component can.
  Rng rng(4);
  Matrix rows = toy::random_rows(rng, 400, 2);
  rows.topRows(200) *= 0.05F;
  std::vector<std::int32_t> labels(400, -1);
  for (std::size_t i = 0; i < 400; i += 4) {
    labels[i] = i < 200 ? 0 : 1;
  }
  const Partitions found = toy::cluster_by("ss_gmm", {{"groups", "2"}}, {rows, labels});
  Index right = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    right += (toy::chosen(found)[i] == toy::chosen(found)[0]) == (i < 200) ? 1 : 0;
  }
  EXPECT_GT(right, 380);
}

TEST(SsGmm, both_forms_answer_where_rows_are_constant) {
  const Matrix rows = Matrix::Constant(8, 3, 2.0F);
  const std::vector<std::int32_t> labels{0, -1, -1, -1, -1, -1, -1, -1};
  for (const char* form : {"sound", "released"}) {
    const Partitions found =
        toy::cluster_by("ss_gmm", {{"groups", "3"}, {"form", form}}, {rows, labels});
    EXPECT_THAT(toy::chosen(found), Each(0)) << form;
  }
}

}  // namespace
}  // namespace tyto
