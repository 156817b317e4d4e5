// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/picture_rows.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

RowSize picture_size(Index numbers, Index height) {
  const Index pixels = numbers / 3;
  const Index rows =
      height > 0 ? height : static_cast<Index>(std::lround(std::sqrt(static_cast<double>(pixels))));
  if (rows == 0 || numbers % 3 != 0 || pixels % rows != 0 ||
      (height == 0 && rows * rows != pixels)) {
    throw Error(ErrorKind::config,
                fmt::format("rows of {} numbers are no {}pictures of red, green and blue", numbers,
                            height > 0 ? fmt::format("{} pixels high ", height) : "square "));
  }
  return {rows, pixels / rows};
}

void augment_pictures(MatrixRef rows, Index segments, RowSize size, Augment how, const Rng& rng) {
  if (how == Augment::none) {
    return;
  }
  TYTO_ASSERT(rows.cols() == 3 * size.height * size.width);
  const Index reach_x = how == Augment::shift_flip ? size.width / 8 : 0;
  const Index reach_y = how == Augment::shift_flip ? size.height / 8 : 0;
  std::vector<float> before(at(rows.cols()));
  for (Index sample = 0; sample < rows.rows() / segments; ++sample) {
    Rng own = rng.fork("augment", static_cast<std::uint64_t>(sample));
    const bool mirrored = own.uniform() < 0.5;
    const auto move = [&](Index reach) {
      return static_cast<Index>(std::floor(own.uniform() * static_cast<double>(2 * reach + 1))) -
             reach;
    };
    const Index dx = move(reach_x), dy = move(reach_y);
    if (!mirrored && dx == 0 && dy == 0) {
      continue;
    }
    for (Index r = sample * segments; r < (sample + 1) * segments; ++r) {
      float* row = rows.data() + r * rows.outerStride();
      std::copy_n(row, rows.cols(), before.begin());
      for (Index plane = 0; plane < 3; ++plane) {
        for (Index y = 0; y < size.height; ++y) {
          const Index from_y = std::clamp<Index>(y - dy, 0, size.height - 1);
          const float* from = before.data() + (plane * size.height + from_y) * size.width;
          float* to = row + (plane * size.height + y) * size.width;
          for (Index x = 0; x < size.width; ++x) {
            const Index moved = std::clamp<Index>(x - dx, 0, size.width - 1);
            to[x] = from[mirrored ? size.width - 1 - moved : moved];
          }
        }
      }
    }
  }
}

}  // namespace tyto
