// SPDX-License-Identifier: Apache-2.0
// Two methods, each trained several times: the difference of their means, with what it could have
// come out as with other trainings and other samples. Resampling the samples of one training each
// leaves out that trainings of one method differ, and finds differences between a method and
// itself.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tyto/measure/intervals/bootstrap.hpp"

namespace tyto {

// One training's value (or the difference of two of the same seed), and the same on resamples of
// its samples; none where the measure hangs on their order.
struct TrainingDraws {
  std::optional<double> value;
  std::vector<double> drawn;  // NaN: not defined on that resample
};

// Mean over trainings and its deviation by the bootstrap of two levels: trainings are drawn first,
// then a resample of the samples of each. Drawn plainly, few trainings lie too close together, by
// sqrt(1 - 1 / n), and the luck of the samples counts twice, as it is in their values already: both
// is undone (Davison and Hinkley 1997, 3.8). The tails are left to Student's t.
struct TrainingMean {
  Index trainings = 0;                    // that have a value
  std::optional<double> mean, deviation;  // of the mean; missing below two trainings
};

TrainingMean training_mean(std::span<const TrainingDraws> trainings, Index replicates, Rng rng);

struct TrainingDifference {
  std::optional<double> first, second, difference;  // means, second - first
  Interval interval;
  std::optional<double> p;  // two-sided
};

// `differences` by seed, second - first, where both have the same seeds: what a seed makes hard for
// both cancels out.
TrainingDifference paired_difference(std::span<const TrainingDraws> first,
                                     std::span<const TrainingDraws> second,
                                     std::span<const TrainingDraws> differences,
                                     const BootstrapOptions& options);

// Seeds of their own on both sides (Welch).
TrainingDifference unpaired_difference(std::span<const TrainingDraws> first,
                                       std::span<const TrainingDraws> second,
                                       const BootstrapOptions& options);

// The least difference that `trainings` pairs tell from none at the level, in deviations between
// the pairs: 9.0 with two, 2.5 with three, 1.2 with five.
double resolvable_difference(Index trainings, double level);

}  // namespace tyto
