// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/folds.hpp"

#include <cmath>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/calibration/score_calibrator.hpp"
#include "tyto/calibration/temperature_fit.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Folds, are_as_equal_as_can_be_and_the_same_for_the_same_stream) {
  const std::vector<Index> folds = fold_of(23, {}, 5, Rng(1));
  std::map<Index, int> sizes;
  for (const Index fold : folds) {
    ++sizes[fold];
  }
  ASSERT_EQ(sizes.size(), 5U);
  for (const auto& [fold, size] : sizes) {
    EXPECT_TRUE(size == 4 || size == 5);
  }
  EXPECT_EQ(fold_of(23, {}, 5, Rng(1)), folds);
  EXPECT_NE(fold_of(23, {}, 5, Rng(2)), folds);
}

TEST(Folds, keep_groups_together_where_there_are_enough) {
  std::vector<Index> groups;
  for (Index i = 0; i < 60; ++i) {
    groups.push_back(100 + i % 6);
  }
  const std::vector<Index> folds = fold_of(60, groups, 5, Rng(1));
  std::map<Index, std::set<Index>> of_group;
  std::set<Index> used;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    of_group[groups[i]].insert(folds[i]);
    used.insert(folds[i]);
  }
  for (const auto& [group, found] : of_group) {
    EXPECT_EQ(found.size(), 1U) << group;
  }
  EXPECT_EQ(used.size(), 5U);
  EXPECT_EQ(fold_of(60, groups, 7, Rng(1)), fold_of(60, {}, 7, Rng(1)));  // six are too few
  const std::vector<Index> rows{0, 1, 6};
  EXPECT_THAT(groups_of(rows, groups, 2), ElementsAre(100, 101, 100));
  EXPECT_THAT(groups_of(rows, groups, 3), IsEmpty());
}

TEST(MeanGain, has_the_standard_error_of_a_mean) {
  const std::vector<double> values{1.0, 2.0, 3.0, 6.0};
  const MeanGain gain = mean_gain(values, {});
  EXPECT_DOUBLE_EQ(gain.mean, 3.0);
  // Squares about 3: 4 + 1 + 0 + 9 = 14; variance 14 / 3; of the mean 14 / 12.
  EXPECT_NEAR(gain.error, std::sqrt(14.0 / 12.0), 1e-12);
  // Two groups of two: their means are 1.5 and 4.5, each half of the mean.
  const std::vector<Index> groups{7, 7, 9, 9};
  const MeanGain grouped = mean_gain(values, groups);
  EXPECT_DOUBLE_EQ(grouped.mean, 3.0);
  EXPECT_NEAR(grouped.error, 1.5, 1e-12);  // of 1.5 and 4.5: deviation 3 / sqrt(2), over sqrt(2)
  EXPECT_TRUE(std::isinf(mean_gain(std::vector<double>{1.0}, {}).error));
}

// Four classes, scores too sure by a factor; features say nothing.
struct Plain {
  Dense<double> logits, features;
  std::vector<Index> truth;

  explicit Plain(Index n) : logits(n, 4), features(n, 6) {
    Rng rng(5);
    for (Index i = 0; i < n; ++i) {
      truth.push_back(rng.below(4));
      for (Index k = 0; k < 4; ++k) {
        logits(i, k) = 4.0 * ((k == truth.back() ? 1.0 : 0.0) + rng.normal());
      }
      for (Index k = 0; k < 6; ++k) {
        features(i, k) = rng.normal();
      }
    }
  }
};

Parameters fitted_by_folds(const char* method, const Plain& data, const Dense<double>* features) {
  const auto made = find_calibrator(method).make(parse_yaml("{}", "test"), "calibrator");
  Progress quiet;
  Work work{Rng(3), quiet};
  made->fit({data.logits, data.truth, features}, work);
  return made->parameters();
}

TEST(Folds, leave_the_temperature_alone_where_there_is_no_more_to_learn) {
  const Plain data(400);
  const double exact = fit_temperature<double>(data.logits, data.truth).temperature;
  const Parameters vector = fitted_by_folds("structured_vector", data, nullptr);
  EXPECT_GE(number_parameter(vector, "strength"), 10.0);
  const auto caring = find_calibrator("caring").make(parse_yaml("{}", "test"), "calibrator");
  Progress quiet;
  Work work{Rng(3), quiet};
  caring->fit({data.logits, data.truth, &data.features}, work);
  const Eigen::VectorXd temperatures = caring->temperatures(data.features);
  EXPECT_NEAR(temperatures.minCoeff(), exact, 1e-9);
  EXPECT_NEAR(temperatures.maxCoeff(), exact, 1e-9);
  EXPECT_EQ(caring->notes().size(), 1U);
  EXPECT_TRUE(std::isinf(
      number_parameter(fitted_by_folds("structured_vector", Plain(30), nullptr), "strength")));
}

}  // namespace
}  // namespace tyto
