// SPDX-License-Identifier: Apache-2.0
// Resizing as torch's bilinear interpolation without antialiasing does it.
#include <algorithm>

#include "tyto/video/resize/resizers.hpp"

namespace tyto {

namespace {

struct TorchTaps {
  std::vector<Index> here, next;
  std::vector<float> share;  // of next
};

// In float32, as torch does it.
TorchTaps torch_taps(Index in, Index out) {
  const float scale = static_cast<float>(in) / static_cast<float>(out);
  TorchTaps taps;
  for (Index i = 0; i < out; ++i) {
    const float place = std::max(scale * (static_cast<float>(i) + 0.5F) - 0.5F, 0.0F);
    const Index here = std::min(static_cast<Index>(place), in - 1);
    taps.here.push_back(here);
    taps.next.push_back(std::min(here + 1, in - 1));
    taps.share.push_back(std::clamp(place - static_cast<float>(here), 0.0F, 1.0F));
  }
  return taps;
}

}  // namespace

void torch_resized(const float* plane, Index width, Index height, float* out, Index out_width,
                   Index out_height) {
  const TorchTaps across = torch_taps(width, out_width);
  const TorchTaps down = torch_taps(height, out_height);
  // Each row is made wide once, although two output rows in turn may want it.
  std::vector<float> here(at(out_width));
  std::vector<float> next(at(out_width));
  Index here_row = -1;
  Index next_row = -1;
  const auto widened = [&](Index row, std::vector<float>& to) {
    const float* from = plane + row * width;
    for (std::size_t x = 0; x < to.size(); ++x) {
      to[x] =
          (1.0F - across.share[x]) * from[across.here[x]] + across.share[x] * from[across.next[x]];
    }
  };
  for (Index y = 0; y < out_height; ++y) {
    if (down.here[at(y)] != here_row && down.here[at(y)] == next_row) {
      std::swap(here, next);
      std::swap(here_row, next_row);
    }
    if (down.here[at(y)] != here_row) {
      widened(here_row = down.here[at(y)], here);
    }
    if (down.next[at(y)] != next_row) {
      widened(next_row = down.next[at(y)], next);
    }
    const float share = down.share[at(y)];
    float* to = out + y * out_width;
    for (std::size_t x = 0; x < here.size(); ++x) {
      to[x] = (1.0F - share) * here[x] + share * next[x];
    }
  }
}

}  // namespace tyto
