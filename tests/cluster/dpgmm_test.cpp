// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <numeric>

#include "cluster/group_rows.hpp"
#include "cluster/toy_cluster.hpp"
#include "support/places.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/cluster/dp_mixture.hpp"
#include "tyto/cluster/kmeans.hpp"

namespace tyto {
namespace {

using testing::Each;

Dense<double> golden_matrix(const nlohmann::json& rows) {
  Dense<double> out(std::ssize(rows), std::ssize(rows.at(0)));
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) {
      out(i, j) =
          rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j)).get<double>();
    }
  }
  return out;
}

// scikit-learn computes in double from the same numbers; only the order of sums differs.
TEST(DpMixture, takes_the_steps_of_scikit_learn_in_the_released_form) {
  std::ifstream file(testing_support::in_tree("/tests/golden/dp_mixture.json"));
  const auto cases = nlohmann::json::parse(file);
  ASSERT_EQ(cases.size(), 4U);
  for (const auto& made : cases) {
    SCOPED_TRACE(made.at("name").get<std::string>());
    DpMixtureOptions options;
    options.form = DpForm::released;
    options.concentration = made.at("concentration").get<double>();
    options.iterations = made.at("steps").get<Index>();
    options.tolerance = 0.0;
    const Matrix rows = golden_matrix(made.at("rows")).cast<float>();
    const DpMixture found = fit_dp_mixture(rows, made.at("start").get<std::vector<std::int32_t>>(),
                                           made.at("components").get<Index>(), options);
    const auto weights = made.at("weights").get<std::vector<double>>();
    EXPECT_LT(
        (found.weights - Eigen::Map<const Eigen::VectorXd>(weights.data(), std::ssize(weights)))
            .cwiseAbs()
            .maxCoeff(),
        1e-7);
    EXPECT_LT((found.means - golden_matrix(made.at("means"))).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT((found.variances - golden_matrix(made.at("variances"))).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_EQ(found.best, made.at("best").get<std::vector<std::int32_t>>());
    EXPECT_EQ(found.iterations, options.iterations);
  }
}

TEST(DpMixture, agrees_in_both_forms_on_one_column) {
  Rng rng(2);
  const toy::Blobs blobs = toy::make_blobs(rng, 3, 20, 1, 8.0);
  DpMixtureOptions options;
  options.floor = 0.0;
  const DpMixture sound = fit_dp_mixture(blobs.rows, blobs.truth, 3, options);
  options.form = DpForm::released;
  const DpMixture released = fit_dp_mixture(blobs.rows, blobs.truth, 3, options);
  EXPECT_EQ(sound.best, released.best);
  EXPECT_LT((sound.variances - released.variances).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(DpMixture, leaves_light_components_without_rows) {
  const Matrix rows = toy::column({0.0F, 0.1F, 0.2F, 0.3F, 0.1F, 0.2F, 9.0F});
  const std::vector<std::int32_t> start{0, 0, 0, 0, 0, 0, 1};
  DpMixtureOptions options;
  EXPECT_EQ(fit_dp_mixture(rows, start, 2, options).best.back(), 1);
  options.least_weight = 0.4;
  EXPECT_THAT(fit_dp_mixture(rows, start, 2, options).best, Each(0));
}

TEST(Dpgmm, keeps_fewer_components_than_it_may_use) {
  Rng rng(3);
  const toy::Blobs blobs = toy::make_blobs(rng, 5, 80, 2, 15.0);
  const Partitions found = toy::cluster_by("dpgmm", {{"truncation", "12"}}, {blobs.rows});
  const Index count = toy::count_groups(toy::chosen(found));
  EXPECT_GE(count, 5);
  EXPECT_LT(count, 12);
  EXPECT_GT(toy::same_pairs(toy::chosen(found), blobs.truth), 0.95);
}

TEST(Dpgmm, finds_blobs_of_more_columns_than_rows) {
  Rng rng(4);
  const toy::Blobs blobs = toy::make_blobs(rng, 4, 15, 100, 3.0);
  const Partitions found = toy::cluster_by("dpgmm", {}, {blobs.rows, {}, 4});
  EXPECT_EQ(toy::chosen(found), blobs.truth);
  EXPECT_TRUE(found.notes.empty());
}

}  // namespace
}  // namespace tyto
