// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/intervals/trainings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace tyto {
namespace {

std::vector<TrainingDraws> without_draws(const std::vector<double>& values) {
  std::vector<TrainingDraws> all;
  for (const double value : values) {
    all.push_back({value, {}});
  }
  return all;
}

TEST(Trainings, gives_the_t_interval_where_samples_cannot_be_drawn) {
  // Differences 1, 2, 3, 4, 5: mean 3, deviation of the mean sqrt(2.5 / 5), t of 4 degrees 2.776.
  const auto difference = without_draws({1, 2, 3, 4, 5});
  const auto zero = without_draws({0, 0, 0, 0, 0});
  const TrainingDifference found =
      paired_difference(zero, difference, difference, {.replicates = 20000});
  EXPECT_DOUBLE_EQ(*found.difference, 3.0);
  EXPECT_NEAR(*found.interval.low, 3.0 - 2.776 * std::sqrt(0.5), 0.05);
  EXPECT_NEAR(*found.interval.high, 3.0 + 2.776 * std::sqrt(0.5), 0.05);
  EXPECT_NEAR(*found.p, 0.0132, 0.002);
}

TEST(Trainings, is_never_narrower_than_the_luck_of_the_samples) {
  // All trainings are equal, and resamples of each lie at -1 and 1: deviation 1 / sqrt(4).
  const std::vector<TrainingDraws> all(4, {5.0, {4.0, 6.0}});
  const TrainingMean mean = training_mean(all, 20000, Rng(1));
  EXPECT_DOUBLE_EQ(*mean.mean, 5.0);
  EXPECT_NEAR(*mean.deviation, 0.5, 0.02);
}

TEST(Trainings, says_nothing_where_there_is_nothing_to_go_by) {
  const auto one = without_draws({1});
  EXPECT_FALSE(paired_difference(one, one, one, {}).p);
  const auto same = without_draws({2, 2, 2});
  const auto zero = without_draws({0, 0, 0});
  EXPECT_FALSE(paired_difference(zero, same, same, {}).p);  // no spread to judge it by
  EXPECT_EQ(paired_difference(same, same, zero, {}).p, 1.0);
  EXPECT_EQ(paired_difference(same, same, zero, {}).interval.low, 0.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<TrainingDraws> holes(3, {1.0, {nan, nan, 1.0}});
  EXPECT_FALSE(paired_difference(holes, holes, holes, {}).p);
  std::vector<TrainingDraws> missing = without_draws({1, 2, 3});
  missing.push_back({std::nullopt, {}});
  EXPECT_DOUBLE_EQ(*training_mean(missing, 100, Rng(1)).mean, 2.0);
  EXPECT_EQ(training_mean(missing, 100, Rng(1)).trainings, 3);
}

TEST(Trainings, tells_what_few_of_them_can_resolve) {
  EXPECT_NEAR(resolvable_difference(2, 0.95), 8.98, 0.01);
  EXPECT_NEAR(resolvable_difference(3, 0.95), 2.48, 0.01);
  EXPECT_NEAR(resolvable_difference(5, 0.95), 1.24, 0.01);
}

// Two methods that are one: what is found between them is found wrongly. Trainings lie apart by
// five times the variance that their samples make, as between two trainings of one network.
struct WronglyFound {
  double paired = 0, unpaired = 0, by_samples_alone = 0;  // shares of p < 0.05
};

WronglyFound compare_a_method_with_itself(std::size_t seeds) {
  constexpr int kTrials = 600;
  constexpr int kDraws = 100;
  WronglyFound found;
  for (int trial = 0; trial < kTrials; ++trial) {
    Rng rng(7, "trial", static_cast<std::uint64_t>(trial));
    const auto train = [&] {
      std::vector<TrainingDraws> all(seeds);
      for (TrainingDraws& one : all) {
        one.value = std::sqrt(5.0) * rng.normal() + rng.normal();
        for (int i = 0; i < kDraws; ++i) {
          one.drawn.push_back(*one.value + rng.normal());
        }
      }
      return all;
    };
    const auto first = train();
    const auto second = train();
    std::vector<TrainingDraws> difference(seeds);
    for (std::size_t s = 0; s < seeds; ++s) {
      difference[s].value = *second[s].value - *first[s].value;
      for (std::size_t i = 0; i < kDraws; ++i) {
        difference[s].drawn.push_back(second[s].drawn[i] - first[s].drawn[i]);
      }
    }
    BootstrapOptions options{.replicates = 400};
    options.seed = static_cast<std::uint64_t>(trial);
    const auto& alone = difference.front().drawn;
    const auto below = std::count_if(alone.begin(), alone.end(), [](double d) { return d < 0; });
    found.paired += *paired_difference(first, second, difference, options).p < 0.05;
    found.unpaired += *unpaired_difference(first, second, options).p < 0.05;
    found.by_samples_alone += below <= 2 || below >= kDraws - 2;
  }
  return {found.paired / kTrials, found.unpaired / kTrials, found.by_samples_alone / kTrials};
}

TEST(Trainings, finds_a_method_other_than_itself_in_one_of_twenty_cases) {
  const WronglyFound five = compare_a_method_with_itself(5);
  EXPECT_GT(five.by_samples_alone, 0.35);  // what one training each would claim
  EXPECT_NEAR(five.paired, 0.05, 0.025);
  EXPECT_NEAR(five.unpaired, 0.05, 0.025);
  const WronglyFound ten = compare_a_method_with_itself(10);
  EXPECT_NEAR(ten.paired, 0.05, 0.025);
  EXPECT_NEAR(ten.unpaired, 0.05, 0.025);
}

TEST(Trainings, finds_a_difference_that_is_there) {
  Rng rng(3, "apart");
  std::vector<TrainingDraws> first, second;
  for (int seed = 0; seed < 6; ++seed) {
    first.push_back({rng.normal(), {}});
    second.push_back({5.0 + rng.normal(), {}});
  }
  const TrainingDifference found = unpaired_difference(first, second, {});
  EXPECT_LT(*found.p, 0.001);
  EXPECT_GT(*found.interval.low, 2.0);
  EXPECT_LT(*found.interval.high, 8.0);
}

}  // namespace
}  // namespace tyto
