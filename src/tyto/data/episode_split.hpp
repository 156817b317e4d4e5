// SPDX-License-Identifier: Apache-2.0
// Whole episodes dealt to the parts of a split so that their frames come to the shares wished.
#pragma once

#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

struct EpisodeSplitOptions {
  std::vector<double> shares{0.8, 0.1, 0.1};  // of the frames; they add up to 1
  Index tries = 100;
};

struct EpisodeSplit {
  std::vector<Index> part;  // of each episode, as `shares`
  double error = 0;         // sum over parts of |1 - frames got / frames wished|
};

// The best of `tries` random orders of the episodes: of n the first part takes what the others
// leave, each of which takes ceil(share * n) episodes, and the error is of their frames
// (NovelCraft's search, one class at a time). Of equal errors the first. Throws Error(config) for
// shares that are none, Error(data) for fewer episodes than parts or without frames.
EpisodeSplit split_episodes(std::span<const Index> frames, const EpisodeSplitOptions& options,
                            Rng rng);

}  // namespace tyto
