// SPDX-License-Identifier: Apache-2.0
// How many samples are gathered at a time: a count, unless they are so wide that their rows would
// fill the memory. 4096 rows of 3 x 234 x 256 floats take 2.9 GB.
#pragma once

#include <algorithm>

#include "tyto/sample/samples.hpp"

namespace tyto {

constexpr Index kBlockBytes = Index{256} << 20;

// `most` rows of `width` floats; fewer where they would take more than kBlockBytes, at least one.
constexpr Index rows_per_block(Index width, Index most) {
  const Index row = std::max<Index>(1, width) * Index{sizeof(float)};
  return std::clamp<Index>(kBlockBytes / row, 1, std::max<Index>(1, most));
}

// Whichever source of them is read, and all frames of it.
inline Index samples_per_block(const Samples& samples, Index most) {
  return rows_per_block(samples.widest(), most);
}

}  // namespace tyto
