// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/detect/pixel_patches.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tyto {

namespace {

constexpr Index kPatchesAlong = 8;
constexpr Index kPlanes = 3;

}  // namespace

PixelPatches pixel_patches(Index pixels) {
  const Index side = std::max<Index>(1, pixels / kPatchesAlong);
  PixelPatches out;
  for (Index top = 0; top < pixels; top += side) {
    for (Index left = 0; left < pixels; left += side) {
      const Index bottom = std::min(pixels, top + side);
      const Index right = std::min(pixels, left + side);
      std::vector<Index>& own = out.columns.emplace_back();
      for (Index plane = 0; plane < kPlanes; ++plane) {
        for (Index y = top; y < bottom; ++y) {
          for (Index x = left; x < right; ++x) {
            own.push_back((plane * pixels + y) * pixels + x);
          }
        }
      }
      out.names.push_back(fmt::format("patch at row {}, column {} ({} x {} of {} x {} pixels)", top,
                                      left, bottom - top, right - left, pixels, pixels));
    }
  }
  return out;
}

}  // namespace tyto
