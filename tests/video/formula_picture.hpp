// SPDX-License-Identifier: Apache-2.0
// A picture that any language can make again (tests/golden/make_resized.py does), and checksums.
#pragma once

#include "tyto/video/picture.hpp"

namespace tyto::testing_support {

inline Picture formula_picture(Index width, Index height) {
  Picture picture(width, height);
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      for (Index c = 0; c < 3; ++c) {
        const Index checks = (x / 5 + y / 3) % 2 * 90;
        picture.pixel(x, y)[c] =
            static_cast<std::uint8_t>((x * 7 + y * 13 + c * 31 + x * y % 17 * 11 + checks) % 256);
      }
    }
  }
  return picture;
}

inline std::uint64_t checksum(const Picture& picture) {  // FNV-1a
  std::uint64_t value = 0xCBF29CE484222325U;
  for (const std::uint8_t byte : picture.rgb) {
    value = (value ^ byte) * 0x100000001B3U;
  }
  return value;
}

}  // namespace tyto::testing_support
