// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/detector/patch_grid.hpp"

#include <algorithm>

namespace tyto {

void PatchGrid::copy(const float* row, Index number, float factor, float* patch) const {
  const Index top = number / columns() * stride, left = number % columns() * stride;
  const Index last_row = picture.height - cut - 1, last_column = picture.width - 1;
  for (Index plane = 0; plane < 3; ++plane) {
    const float* from = row + plane * picture.height * picture.width;
    for (Index y = 0; y < side; ++y) {
      const float* line = from + std::min(top + y, last_row) * picture.width;
      for (Index x = 0; x < side; ++x) {
        *patch++ = factor * line[std::min(left + x, last_column)];
      }
    }
  }
}

}  // namespace tyto
