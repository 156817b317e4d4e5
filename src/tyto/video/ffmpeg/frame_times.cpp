// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/ffmpeg/frame_times.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace tyto {

namespace {

// Every frame lies where a frame every `step` ticks would.
bool evenly_spaced(std::span<const std::int64_t> times, double step) {
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double offset = static_cast<double>(times[i] - times[0]);
    if (std::abs(offset - static_cast<double>(i) * step) > 1.0 + 1e-6) {
      return false;
    }
  }
  return true;
}

}  // namespace

FrameRate rate_of_times(std::span<const std::int64_t> times, double tick, double claimed) {
  constexpr auto kUnknown = std::numeric_limits<std::int64_t>::min();
  FrameRate rate{.fps = claimed};
  while (!times.empty() && times.back() == kUnknown) {  // decoders lose the time of the last frame
    times = times.first(times.size() - 1);
  }
  const auto unordered = std::adjacent_find(times.begin(), times.end(), std::greater_equal<>());
  rate.ordered = unordered == times.end() ? std::ssize(times) : unordered - times.begin() + 1;
  const auto [first, last] = std::minmax_element(times.begin(), times.end());
  if (times.empty() || *first == kUnknown || *first == *last || !(tick > 0.0)) {
    return rate;
  }
  if (claimed > 0.0 && evenly_spaced(times, 1.0 / (claimed * tick))) {
    return rate;
  }
  const double step = static_cast<double>(*last - *first) / static_cast<double>(times.size() - 1);
  rate.fps = 1.0 / (step * tick);
  rate.constant = evenly_spaced(times, step);
  return rate;
}

}  // namespace tyto
