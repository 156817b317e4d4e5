// SPDX-License-Identifier: Apache-2.0
// Square patches of pictures whose features are their pixels: a single pixel says little.
#pragma once

#include <string>

#include "tyto/engine/detect/why_unusual.hpp"

namespace tyto {

struct PixelPatches {
  ColumnGroups columns;            // the pixels of each, of all three planes
  std::vector<std::string> names;  // "patch at row 4, column 6 (2 x 2 of 16 x 16 pixels)"
};

// Of pictures of `pixels` by `pixels`, side by side, about an eighth of a side each way and no
// smaller than a pixel; those at the right and the lower border may be cut.
PixelPatches pixel_patches(Index pixels);

}  // namespace tyto
