// SPDX-License-Identifier: Apache-2.0
// What people do, as numbers: how a watch on the wrist moves in each activity of the simulator.
//
// Axes of the watch: x along the forearm to the fingers, y to the thumb, z out of the back of the
// hand. Accelerations in g, angular speeds in rad/s.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace tyto {

using Axes = std::array<double, 3>;

struct Activity {
  struct Rhythm {
    double hz = 0;      // of the whole cycle: one stride, not one step; 0: no rhythm
    double jitter = 0;  // relative deviation of the frequency within a window
  };

  // Blows and gestures: a push of Gaussian shape, a turn there and back.
  struct Event {
    int per_cycle = 0;    // in step with the rhythm
    double per_s = 0;     // or free, about so often
    double width_s = .1;  // standard deviation of the shape
    Axes push{}, spin{};  // at their peaks
  };

  struct Texture {  // coloured noise, over and above the sensor's white one
    double push = 0, spin = 0;
    double colour = 0;  // correlation of neighbouring readings at 50 Hz
  };

  std::string_view name, family;
  Axes posture;  // direction of the reading at rest
  Rhythm rhythm;
  std::array<Axes, 2> push{};  // amplitudes of the cycle and of twice its frequency
  std::array<Axes, 2> spin{};
  Event event;
  Texture texture;
};

std::span<const Activity> activity_catalogue();  // by family

// An activity of legs and feet: what tells it from another one happens where no watch is.
struct UnsensedActivity {
  std::string_view name;
  std::string_view seen_as;  // of the catalogue: the wrist moves as in this one
};

std::span<const UnsensedActivity> unsensed_catalogue();

}  // namespace tyto
