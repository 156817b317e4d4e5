// SPDX-License-Identifier: Apache-2.0
// A simulated world of activities, as a watch's accelerometer and gyroscope see them: people of
// different tempo, vigour and style, sensors that sit askew, and observations altered on purpose.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/world/increments/increments.hpp"
#include "tyto/world/wearables/nuisance.hpp"

namespace tyto {

struct WearableOptions {
  Index classes = 30;
  std::vector<std::string> activities;  // by name, instead of a number of them
  std::string choose = "random";
  std::vector<std::string> unsensed;  // besides: activities that a watch cannot tell from others
  Index subjects = 40, windows = 3;   // windows per subject and activity
  double window_s = 4, rate = 50;
  double difficulty = 1;  // factor of spread and noise
  SpreadOptions spread;
  double noise = 0.04;
  NuisanceOptions nuisance;
  std::vector<std::string> altered_sources;
  bool signals = false;  // a source "signal" besides "features"
  IncrementOptions schedule;

  void describe(OptionVisitor& visitor);
  // What one key alone cannot tell. Throws Error(config).
  void check() const;

  [[nodiscard]] Index window_length() const;  // in readings
};

struct Wearables {
  // Group: subject. Annotations: altered, hand, subject, tempo, vigour; seen_as where there are
  // activities that are not sensed.
  Series series;
  Schedule schedule;
};

// A row per window, by subject, activity and number. O(windows x readings) time, in parallel; the
// source "signal", 6 x readings, is made again whenever it is gathered and takes no memory.
Wearables make_wearables(const WearableOptions& options, std::uint64_t seed);

}  // namespace tyto
