// SPDX-License-Identifier: Apache-2.0
// The simulated benchmark of the open-world work on activities: 2-D Gaussians on rings, in three
// datasets named after Kinetics. Four start classes on the unit circle, ten classes between them,
// ten further out.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/world/increments/increments.hpp"
#include "tyto/world/increments/series.hpp"

namespace tyto {

struct GaussianOptions {
  Index start_samples = 100;  // per start class and split
  Index samples = 25;         // per class known so far, split and round; i times that for the i-th
  Index rounds = 4;           // per new class
  double start_variance = 1.0 / 200, k600_variance = 1.0 / 1000, k700_variance = 1.0 / 100;
  IncrementOptions schedule;

  GaussianOptions() { schedule.increments = 10; }

  void describe(OptionVisitor& visitor);
};

struct GaussianClass {
  std::string name;
  std::array<double, 2> mean;
  double variance;  // of each coordinate
};

// In the order in which they come.
std::vector<GaussianClass> gaussian_classes(const GaussianOptions& options);

// Datasets k400, k600, k700_2020 with classes k400-1, ... and the splits train, validate, test,
// each 400, 14 000 and 24 000 rows by default. Rows come round by round: the known classes, then
// the new one.
Series make_gaussians(const GaussianOptions& options, std::uint64_t seed);

}  // namespace tyto
