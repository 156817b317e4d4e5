// SPDX-License-Identifier: Apache-2.0
// The people who wear the sensor: who they are, what their habits are, how they do it this time.
#pragma once

#include <array>

#include "tyto/core/options.hpp"
#include "tyto/core/random.hpp"
#include "tyto/world/wearables/activities.hpp"

namespace tyto {

using Rotation = Eigen::Matrix3d;

constexpr Index kChannels = 6;  // acceleration x, y, z in g, then angular speed x, y, z in rad/s

struct SpreadOptions {       // standard deviations between people
  double tempo = 0.06;       // of the logarithm
  double vigour = 0.15;      // of the logarithm
  double tilt = 8;           // degrees about each axis
  double style = 0.2;        // of the logarithm of each amplitude; of each phase, in rad
  double variation = 0.4;    // of one person from window to window, as a share of the above
  double left_handed = 0.1;  // probability

  void describe(OptionVisitor& visitor);
  [[nodiscard]] SpreadOptions scaled(double difficulty) const;  // all but the last two
};

// One person in one activity during one window.
struct Motion {
  using PerChannel = std::array<double, kChannels>;

  double tempo = 1, vigour = 1;          // factors of frequency and amplitude
  bool left = false;                     // worn on the left wrist: mirrored
  Rotation pose = Rotation::Identity();  // from wrist to sensor
  std::array<PerChannel, 2> style{};     // logarithm of a factor, per harmonic
  std::array<PerChannel, 2> shift{};     // of the phase, rad
};

// Drawn from streams of subject, activity and window, so that a window is the same in every world
// of this seed, however many subjects, activities and windows it has.
Motion draw_motion(Index subject, const Activity& activity, Index window,
                   const SpreadOptions& spread, const Rng& world);

// About a drawn axis. Of normal size: `degrees` about each coordinate axis.
Rotation tilted(double degrees, Rng& rng);
// By exactly that angle.
Rotation turned(double degrees, Rng& rng);

}  // namespace tyto
