// SPDX-License-Identifier: Apache-2.0
// What happens in simulated videos, whatever they are filmed as: who does what where, for how long.
//
// An action takes each of some poses for equally many frames. Told by motion, a class is an order
// of the poses; told by appearance, each video has an order of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/core/random.hpp"
#include "tyto/data/dataset.hpp"

namespace tyto {

struct ScreenplayOptions {
  Index classes = 20, videos = 40;  // videos of each class
  std::string told_by = "both";
  Index frames = 12, frames_most = 24;  // of the action
  double background = 0.3;
  Index subjects = 20, scenes = 5;
  double scene_bias = 0;

  void describe(OptionVisitor& visitor);
  // What one key alone cannot tell. `values` is how many numbers a frame has, of which there may be
  // `most` in all. Throws Error(config).
  void check(std::string_view path, Index values, double most) const;

  [[nodiscard]] bool has_own_order() const { return told_by != "appearance"; }

  [[nodiscard]] bool has_own_look() const { return told_by != "motion"; }
};

// How many poses there are: four, or as many as it takes to tell the classes by their order.
Index pose_count(Index classes);

struct Take {
  Index actor_class = 0, subject = 0, scene = 0;
  Index before = 0, hold = 1, after = 0;  // frames of background, and of each pose
  Index begin = 0;                        // its first frame among all

  [[nodiscard]] Index action(Index poses) const { return poses * hold; }

  [[nodiscard]] Index frames(Index poses) const { return before + action(poses) + after; }

  // The place in the order of poses that frame f has come to; -1: at rest.
  [[nodiscard]] Index moment(Index f, Index poses) const {
    const Index acting = f - before;
    return acting >= 0 && acting < action(poses) ? acting / hold : -1;
  }
};

// Of every class, one after another.
std::vector<Take> draw_takes(const ScreenplayOptions& options, const Rng& rng);

// Distinct orders of the poses, one for each class.
std::vector<std::vector<Index>> draw_orders(Index classes, Rng rng);

// The table of the videos. Group: the person. Annotations: scene, segment_first and segment_end
// (the frames of action, the second exclusive).
IndexTable table_of_takes(const std::vector<Take>& takes, Index poses);

}  // namespace tyto
