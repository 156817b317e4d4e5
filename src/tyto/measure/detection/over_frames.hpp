// SPDX-License-Identifier: Apache-2.0
// What the frames of an episode say together, frame by frame: an alarm is raised at the first frame
// at which this evidence reaches the threshold.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

enum class OverFrames {
  maximum,       // each frame for itself
  running_mean,  // mean of the last `window` frames, of fewer at the beginning
  cusum,         // S = max(0, S + z - drift), z the score in deviations from normal frames
  martingale     // log of the capital won by betting that frames are newer than normal ones
};

inline constexpr std::array<std::string_view, 4> kOverFrames{"maximum", "running_mean", "cusum",
                                                             "martingale"};
// Throws Error(config) naming them and the likeliest spelling.
OverFrames over_frames(std::string_view name);

struct OverFramesOptions {
  OverFrames how = OverFrames::maximum;
  Index window = 5;
  double drift = 0.5;  // in deviations: half the shift that shall be noticed soonest
};

// Evidence of the frames of one episode after the other.
class FrameEvidence {
 public:
  // `normal`: scores of frames known to be normal; needed by cusum and martingale, which throw
  // Error(data) without two different ones (cusum) or without any.
  FrameEvidence(const OverFramesOptions& options, std::span<const double> normal);

  [[nodiscard]] std::vector<double> of(std::span<const double> score) const;

 private:
  [[nodiscard]] std::vector<double> running_mean(std::span<const double> score) const;
  [[nodiscard]] std::vector<double> cusum(std::span<const double> score) const;
  [[nodiscard]] std::vector<double> martingale(std::span<const double> score) const;

  OverFramesOptions options_;
  double mean_ = 0, deviation_ = 1;  // of the normal frames
  std::vector<double> normal_;       // sorted
};

}  // namespace tyto
