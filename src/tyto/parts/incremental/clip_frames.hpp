// SPDX-License-Identifier: Apache-2.0
// Which frames of a clip a network looks at: the segments of TSN.
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

// Beside each row its difference to the next one of the same clip, the last row to itself: 0. A
// mean over a clip's frames tells nothing of their order, one over its changes does.
Matrix with_changes(const Matrix& rows, Index segments);

// The rows of each clip in an order drawn from what its first row holds: a probe of what the order
// tells. The same clip, the same order.
Matrix shuffled_clips(const Matrix& rows, Index segments);

}  // namespace tyto
