// SPDX-License-Identifier: Apache-2.0
// From a motion to what the sensor reads: gravity, rhythm, events, texture and the sensor's noise.
#pragma once

#include "tyto/world/wearables/subjects.hpp"

namespace tyto {

struct Sampling {
  double rate = 50;     // readings per second
  Index length = 200;   // readings per window
  double noise = 0.04;  // standard deviation of the sensor's white noise, g and rad/s
};

using Signal = Dense<double>;  // kChannels x length

// O(length). `rng` is the window's own: the signal depends on nothing else.
Signal synthesise(const Activity& activity, const Motion& motion, const Sampling& sampling,
                  const Rng& rng);

void rotate(const Rotation& rotation, Signal& signal);  // both sensors

}  // namespace tyto
