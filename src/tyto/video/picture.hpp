// SPDX-License-Identifier: Apache-2.0
// A picture in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct Picture {
  Index width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // row by row, three bytes a pixel

  Picture() = default;

  Picture(Index w, Index h) : width(w), height(h), rgb(at(w * h * 3)) {}

  [[nodiscard]] const std::uint8_t* pixel(Index x, Index y) const {
    return rgb.data() + (y * width + x) * 3;
  }

  std::uint8_t* pixel(Index x, Index y) { return rgb.data() + (y * width + x) * 3; }

  bool operator==(const Picture&) const = default;
};

}  // namespace tyto
