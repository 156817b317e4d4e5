// SPDX-License-Identifier: Apache-2.0
// Reference rows made ready once for many searches of their nearest.
#pragma once

#include <optional>

#include "tyto/math/neighbours.hpp"
#include "tyto/math/rough_products.hpp"

namespace tyto {

struct ReferenceRows {
  explicit ReferenceRows(Matrix of);

  Matrix rows;
  std::optional<RoughReferences> rough;  // where these pay
};

// As nearest_rows, to the bit.
Neighbours nearest_rows(const Matrix& queries, const ReferenceRows& references, Index k);

}  // namespace tyto
