// SPDX-License-Identifier: Apache-2.0
// What the times of its frames tell of a video.
#pragma once

#include <cstdint>
#include <span>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct FrameRate {
  double fps = 0;        // 0: not known
  bool constant = true;  // within one tick, to which times are rounded
  Index ordered = 0;     // so many frames from the first on have a time, later than the one before
};

// `tick`: seconds of one step of the times; `claimed`: what the file says, 0 where it says nothing.
FrameRate rate_of_times(std::span<const std::int64_t> times, double tick, double claimed);

}  // namespace tyto
