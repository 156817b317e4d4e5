// SPDX-License-Identifier: Apache-2.0
// Square patches of pictures that are rows, in a grid, and detectors that can tell how unusual each
// of them is.
#pragma once

#include "tyto/core/error.hpp"
#include "tyto/nn/picture_rows.hpp"

namespace tyto {

struct PatchGrid {
  RowSize picture;  // R, G and B planes of this size
  Index cut = 0;    // rows at the bottom that are not looked at
  Index side = 32, stride = 16;

  // Patches that lie within the picture; one where it is smaller than a patch.
  [[nodiscard]] Index rows() const { return along(picture.height - cut); }

  [[nodiscard]] Index columns() const { return along(picture.width); }

  [[nodiscard]] Index count() const { return rows() * columns(); }

  // Numbers of a patch.
  [[nodiscard]] Index width() const { return 3 * side * side; }

  // Patch `number`, row by row of the grid, times `factor`. Beyond the border of a picture smaller
  // than a patch its last pixels are repeated.
  void copy(const float* row, Index number, float factor, float* patch) const;

 private:
  [[nodiscard]] Index along(Index pixels) const {
    return pixels < side ? 1 : (pixels - side) / stride + 1;
  }
};

struct PatchMap {  // of pictures, for heat maps
  PatchGrid grid;
  Matrix errors;  // a row per picture, a column per patch
};

// A picture in squares from its top left corner on, in place of patches that overlap.
struct CellMap {
  Index cell = 0;  // side of a square in pixels: the stride, or a multiple of it
  Matrix errors;   // by row and column: the mean over the patches that hold the middle of a square
};

// Of picture `number`, with at most `most` rows and as many columns. Squares whose middle no patch
// holds have the error of the nearest one.
CellMap cells_of(const PatchMap& map, Index number, Index most);

// A detector that looks at patches; found by dynamic_cast.
struct PatchScorer : Interface {
  [[nodiscard]] virtual PatchMap patch_errors(const MatrixView& pictures) const = 0;
};

}  // namespace tyto
