// SPDX-License-Identifier: Apache-2.0
// Which frames of a video are looked at. Rules by name; every clip is a list of frame numbers,
// never descending, of `frames` entries each. A video shorter than a clip repeats its last frame.
//
//   every       clips of one frame: every stride-th from the first
//   uniform     `clips` clips of one frame: floor((k + 0.5) n / clips)
//   segments    one clip of `frames` frames, the centres of as many equal parts (TSN, in test)
//   clips       clips of `frames` frames, `stride` apart, one after another over the whole video
//   spread      `clips` clips of `frames` frames, `stride` apart, spread evenly (SlowFast)
//   snippet     one clip of `frames` consecutive frames from the middle (64: I3D, P3D)
//   all         every frame, clips of one
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tyto/core/described.hpp"
#include "tyto/core/random.hpp"
#include "tyto/nn/recipe.hpp"

namespace tyto {

using ClipFrames = std::vector<Index>;

// The clips of a video of n > 0 frames, `fps` a second, by the recipe's rule. Throws Error(config)
// for a rule that does not exist, naming the likeliest.
std::vector<ClipFrames> sampled_clips(const Recipe& recipe, Index n, double fps);

// The same in training: segments and clips at random places.
std::vector<ClipFrames> drawn_clips(const Recipe& recipe, Index n, double fps, Rng& rng);

}  // namespace tyto
