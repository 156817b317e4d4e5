// SPDX-License-Identifier: Apache-2.0
// Which frames of a video are looked at. Rules by name; every clip is a list of frame numbers,
// never descending, of `frames` entries each. A video shorter than a clip repeats its last frame.
//
//   every       clips of one frame: every stride-th from the first
//   uniform     `clips` clips of one frame: floor((k + 0.5) n / clips)
//   segments    one clip of `frames` frames, the centres of as many equal parts (TSN, in test)
//   clips       clips of `frames` frames, `stride` apart, one after another over the whole video
//   strided     `clips` clips of `frames` frames, `stride` apart, clip k from the k q-th of every
//               stride-th frame, q = floor((floor(n / stride) - frames) / clips) (released KOWL)
//   spread      `clips` clips of `frames` frames, `stride` apart at 30 frames a second, spread
//               evenly (SlowFast)
//   snippet     one clip of `frames` frames, `stride` apart, from the middle (64: I3D, P3D)
//   all         every frame, clips of one
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tyto/core/random.hpp"
#include "tyto/nn/recipe.hpp"

namespace tyto {

using ClipFrames = std::vector<Index>;

struct SamplingRule {
  std::string name, summary;
};

std::span<const SamplingRule> sampling_rules();  // in the order above

// The clips of a video of n > 0 frames, `fps` a second (0: not known, taken for 30), by the
// recipe's rule. Throws Error(config) for a rule that does not exist, naming the likeliest, and for
// numbers that it cannot work with.
std::vector<ClipFrames> sampled_clips(const Recipe& recipe, Index n, double fps);

// The same in training: segments and uniform draw a frame of each part, every begins at one of the
// first `stride` frames, clips, strided, spread and snippet give one clip at a random place.
std::vector<ClipFrames> drawn_clips(const Recipe& recipe, Index n, double fps, Rng& rng);

}  // namespace tyto
