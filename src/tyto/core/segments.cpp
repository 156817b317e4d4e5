// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/segments.hpp"

#include <algorithm>

#include "tyto/core/error.hpp"

namespace tyto {

std::vector<Index> centre_frames(Index n, Index segments) {
  TYTO_ASSERT(n > 0 && segments > 0);
  const double tick = static_cast<double>(n) / static_cast<double>(segments);
  std::vector<Index> frames;
  for (Index i = 0; i < segments; ++i) {
    const double centre = tick / 2.0 + tick * static_cast<double>(i);
    frames.push_back(std::min(static_cast<Index>(centre), n - 1));
  }
  return frames;
}

std::vector<Index> drawn_frames(Index n, Index segments, Rng& rng) {
  TYTO_ASSERT(n > 0 && segments > 0);
  std::vector<Index> frames;
  const Index step = n / segments;
  for (Index i = 0; i < segments; ++i) {
    frames.push_back(step > 0 ? i * step + rng.below(step) : i * n / segments);
  }
  return frames;
}

}  // namespace tyto
