// SPDX-License-Identifier: Apache-2.0
// Two novelty scores of the same frames as one: by ranges, as published, or by how rare each is
// among normal frames.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace tyto {

struct FusedRange {
  double low = 0, high = 1;

  void check() const;  // throws Error(config) unless low < high, both finite
};

// What NovelCraft adds up, for its symbolic models of 2 and of 5 steps alike: the rounded greatest
// score of the autoencoder, from 0 on, and the range of the symbolic scores of 2 steps over
// validation frames.
inline constexpr FusedRange kNovelCraftVisual{0.0, 0.0065};
inline constexpr FusedRange kNovelCraftSymbolic{0.2429, 29.5301};

// Lists of one episode that begin a frame apart: where one is a frame longer its first frame is
// left out. Throws Error(data) where they differ by more.
std::pair<std::span<const double>, std::span<const double>> aligned_frames(
    std::span<const double> a, std::span<const double> b);

// Sum over both of (score - low) / (high - low), not cut at 0 and 1. Of lists of one length.
std::vector<double> fuse_by_range(std::span<const double> a, const FusedRange& range_a,
                                  std::span<const double> b, const FusedRange& range_b);

// p = (1 + normal scores >= score) / (1 + normal scores), which is uniform or larger for a normal
// frame whatever the scale of the score; fused = -ln p_a - ln p_b (Fisher). No score need know the
// other's unit, and none can drown the other. Throws Error(data) without normal scores.
std::vector<double> fuse_by_rank(std::span<const double> a, std::span<const double> normal_a,
                                 std::span<const double> b, std::span<const double> normal_b);

}  // namespace tyto
