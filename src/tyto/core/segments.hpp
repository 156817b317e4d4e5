// SPDX-License-Identifier: Apache-2.0
// Which of n frames are looked at where a clip is cut into equal parts: the segments of TSN.
#pragma once

#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

// Centres of `segments` equal parts of n frames, floor(tick / 2 + tick i) with tick = n / segments;
// of fewer frames than segments some come several times, in order.
std::vector<Index> centre_frames(Index n, Index segments);

// One frame of each of `segments` parts of floor(n / segments) frames, at random; the frames left
// over at the end are never drawn, as published. Fewer frames than segments: every frame in order,
// each as often as the next (the first ones once more where it does not divide).
std::vector<Index> drawn_frames(Index n, Index segments, Rng& rng);

}  // namespace tyto
