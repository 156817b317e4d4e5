// SPDX-License-Identifier: Apache-2.0
// Simulated videos as pictures: a shape that moves over a textured background, seen by a camera
// that shakes. What happens is that of `sequences` (screenplay.hpp); here it is drawn.
//
// A pose is a place on a ring about the centre, which the shape circles for a moment; at rest it
// is at the centre. Told by motion, a class is an order of the places, and every video has a shape,
// colour and texture of its own: frames of all classes have one distribution. Told by appearance, a
// class is a colour, with a shape and a texture, and every video an order of its own.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tyto/data/dataset.hpp"
#include "tyto/world/sequences/screenplay.hpp"
#include "tyto/world/tasks/task_options.hpp"

namespace tyto {

struct ClipOptions : ScreenplayOptions {
  Index width = 32, height = 32;
  double shake = 1.5;
  double noise = 6, subject_spread = 0.25, scene_contrast = 0.3;
  TaskOptions deal;

  ClipOptions() {
    videos = 20;
    frames = 8;
  }

  void describe(OptionVisitor& visitor);
  // What one key alone cannot tell. Throws Error(config).
  void check() const;
};

constexpr double kClipsPerSecond = 10;  // frames, where clips are written as videos

struct ClipLook {
  double hue = 0;  // in [0, 1)
  Index shape = 0, texture = 0;
};

// Everything that videos share, and a rule that knows the truth may look at.
struct ClipStudio {
  std::vector<std::array<double, 2>> places;  // x, y of each pose, in pixels; the last: at rest
  std::vector<std::vector<Index>> orders;     // of the poses, by class
  std::vector<ClipLook> looks;                // by class
};

ClipStudio make_clip_studio(const ClipOptions& options, std::uint64_t seed);

// A row per video, by class, as table_of_takes has them, with the annotations motion (the order of
// the poses, from 1) and shape too. O(frames x pixels) time, in parallel.
Dataset make_clips(const ClipOptions& options, std::uint64_t seed);

}  // namespace tyto
