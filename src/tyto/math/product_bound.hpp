// SPDX-License-Identifier: Apache-2.0
// How far a squared distance taken from a matrix product may be off.
#pragma once

#include <limits>

#include "tyto/core/matrix.hpp"

namespace tyto {

// Bounds |product form - squared_distance()| by the share of |q|^2 + |r|^2: a dot product of d
// terms is off by at most d u |q||r|, the sums in 16 lanes by (d / 16 + 5) u each.
inline float product_rounding_share(Index width) {
  constexpr float kUnit = std::numeric_limits<float>::epsilon() / 2;
  return (1.25F * static_cast<float>(width) + 32.0F) * kUnit;
}

}  // namespace tyto
