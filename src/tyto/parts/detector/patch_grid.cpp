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

namespace {

struct PatchRange {
  Index first = 0, last = 0;
};

// Patches along one side that hold the middle of a square.
PatchRange patches_over(Index middle, Index side, Index stride, Index patches) {
  const Index last = std::min(middle / stride, patches - 1);
  const Index before = middle - side + 1;  // where the first of them may begin
  return {std::min(before <= 0 ? 0 : (before + stride - 1) / stride, last), last};
}

}  // namespace

CellMap cells_of(const PatchMap& map, Index number, Index most) {
  const PatchGrid& grid = map.grid;
  const Index height = grid.picture.height - grid.cut;
  const Index longest = std::max(height, grid.picture.width);
  CellMap out{grid.stride, {}};
  while ((longest + out.cell - 1) / out.cell > most) {
    out.cell += grid.stride;
  }
  const auto squares = [&](Index pixels) { return (pixels + out.cell - 1) / out.cell; };
  out.errors.resize(squares(height), squares(grid.picture.width));
  for (Index i = 0; i < out.errors.rows(); ++i) {
    const PatchRange down = patches_over(std::min(i * out.cell + out.cell / 2, height - 1),
                                         grid.side, grid.stride, grid.rows());
    for (Index j = 0; j < out.errors.cols(); ++j) {
      const PatchRange across =
          patches_over(std::min(j * out.cell + out.cell / 2, grid.picture.width - 1), grid.side,
                       grid.stride, grid.columns());
      double sum = 0.0;
      for (Index y = down.first; y <= down.last; ++y) {
        for (Index x = across.first; x <= across.last; ++x) {
          sum += static_cast<double>(map.errors(number, y * grid.columns() + x));
        }
      }
      out.errors(i, j) =
          static_cast<float>(sum / static_cast<double>((down.last - down.first + 1) *
                                                       (across.last - across.first + 1)));
    }
  }
  return out;
}

}  // namespace tyto
