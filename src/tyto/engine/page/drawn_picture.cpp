// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/page/drawn_picture.hpp"

#include <algorithm>
#include <cmath>

#include "tyto/report/page/pictures/png.hpp"

namespace tyto {

namespace {

constexpr Index kPictureSide =
    64;  // pixels at least of a single picture, so that it is not blurred

struct GreyScale {
  double low = 0, high = 0;

  [[nodiscard]] std::uint8_t pixel(float value) const {
    const double share = high > low ? (static_cast<double>(value) - low) / (high - low) : 0.0;
    return static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(share, 0.0, 1.0)));
  }
};

// The centres of `count` equal runs.
std::vector<Index> spread_frames(Index frames, Index count) {
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) {
    rows.push_back((2 * i + 1) * frames / (2 * count));
  }
  return rows;
}

std::string strip_of(const Matrix& frames, const std::vector<Index>& rows,
                     const PictureLayout& layout, const GreyScale& scale) {
  const Index plane = layout.width * layout.height;
  std::vector<std::uint8_t> pixels;
  for (Index y = 0; y < layout.height; ++y) {
    for (const Index row : rows) {
      for (Index x = 0; x < layout.width; ++x) {
        for (Index c = 0; c < layout.channels; ++c) {
          pixels.push_back(scale.pixel(frames(row, c * plane + y * layout.width + x)));
        }
      }
    }
  }
  const Index width = layout.width * static_cast<Index>(rows.size());
  const Index side = std::max(layout.width, layout.height);
  const Index zoom = rows.size() == 1 ? (kPictureSide + side - 1) / side : 1;
  return layout.channels == 3 ? colour_png(pixels, width, layout.height, zoom)
                              : grey_png(pixels, width, layout.height, zoom);
}

}  // namespace

SamplePicture drawn_picture(const Matrix& frames, const PictureLayout& layout,
                            std::size_t most_bytes) {
  GreyScale scale{layout.low, layout.high};
  if (layout.low == layout.high) {
    scale = {static_cast<double>(frames.minCoeff()), static_cast<double>(frames.maxCoeff())};
  }
  for (Index count = std::min(frames.rows(), kMostStripFrames); count > 0; --count) {
    std::string bytes = strip_of(frames, spread_frames(frames.rows(), count), layout, scale);
    if (bytes.size() <= most_bytes) {
      return {std::move(bytes), count, true};
    }
  }
  return {};
}

}  // namespace tyto
