// SPDX-License-Identifier: Apache-2.0
// Simulated videos as runs of frames, whose classes differ in what a frame shows, in the order of
// the frames, or in both; with people, scenes, and frames of no action before and after.
//
// A frame is the sum of the pose it is in, what its class looks like, its scene, its person, and
// noise. Told by motion, a class is an order of the poses and looks like no other: frames of all
// classes have one distribution, and whoever averages over them learns nothing. What happens is in
// screenplay.hpp.
#pragma once

#include <cstdint>

#include "tyto/core/options.hpp"
#include "tyto/data/dataset.hpp"
#include "tyto/world/sequences/screenplay.hpp"
#include "tyto/world/tasks/task_options.hpp"

namespace tyto {

struct SequenceOptions : ScreenplayOptions {
  Index width = 16;
  double noise = 0.5, subject_spread = 0.3, scene_spread = 0.5;
  TaskOptions deal;

  void describe(OptionVisitor& visitor);
  // What one key alone cannot tell. Throws Error(config).
  void check() const;
};

// A row per video, by class, as table_of_takes has them. O(frames x width) time, in parallel.
Dataset make_sequences(const SequenceOptions& options, std::uint64_t seed);

}  // namespace tyto
