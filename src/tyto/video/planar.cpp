// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/planar.hpp"

#include <algorithm>
#include <cmath>

namespace tyto {

Picture picture_of_planes(const float* values, Index width, Index height) {
  Picture picture(width, height);
  const std::size_t pixels = at(width * height);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < pixels; ++i) {
      picture.rgb[3 * i + c] = static_cast<std::uint8_t>(
          std::clamp(std::floor(values[c * pixels + i] + 0.5F), 0.0F, 255.0F));
    }
  }
  return picture;
}

void write_planes(const Picture& picture, float* values) {
  const std::size_t pixels = at(picture.width * picture.height);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < pixels; ++i) {
      values[c * pixels + i] = picture.rgb[3 * i + c];
    }
  }
}

}  // namespace tyto
