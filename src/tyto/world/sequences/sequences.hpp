// SPDX-License-Identifier: Apache-2.0
// Simulated videos as runs of frames, whose classes differ in what a frame shows, in the order of
// the frames, or in both; with people, scenes, and frames of no action before and after.
//
// A frame is the sum of the pose it is in, what its class looks like, its scene, its person, and
// noise. Every action takes each pose for equally many frames. Told by motion, a class is an order
// of the poses and looks like no other: frames of all classes have one distribution, and whoever
// averages over them learns nothing. Told by appearance, each video has an order of its own.
#pragma once

#include <cstdint>
#include <string>

#include "tyto/core/options.hpp"
#include "tyto/data/dataset.hpp"
#include "tyto/world/tasks/task_options.hpp"

namespace tyto {

struct SequenceOptions {
  Index classes = 20, videos = 40;  // videos of each class
  std::string told_by = "both";
  Index width = 16;
  Index frames = 12, frames_most = 24;  // of the action
  double background = 0.3;
  Index subjects = 20, scenes = 5;
  double scene_bias = 0;
  double noise = 0.5, subject_spread = 0.3, scene_spread = 0.5;
  TaskOptions deal;

  void describe(OptionVisitor& visitor);
  // What one key alone cannot tell. Throws Error(config).
  void check() const;
};

// How many poses there are: four, or as many as it takes to tell the classes by their order.
Index pose_count(Index classes);

// A row per video, by class. Group: the person. Annotations: scene, segment_first and segment_end
// (the frames of action, the second exclusive). O(frames x width) time, in parallel.
Dataset make_sequences(const SequenceOptions& options, std::uint64_t seed);

}  // namespace tyto
