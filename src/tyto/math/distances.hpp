// SPDX-License-Identifier: Apache-2.0
// Squared Euclidean distances: of all pairs by one matrix product, of one pair in one fixed order.
#pragma once

#include "tyto/core/matrix.hpp"

namespace tyto {

// The same number for the same two rows, whatever stands around them: what decides ties.
float squared_distance(const float* a, const float* b, Index width);

Vector squared_norms(const MatrixView& rows);

// Row i of `a` against row j of `b`, never below 0. O(n m d) time, O(n m) memory. Differences of
// large numbers cancel: shift both by a common mean first where that matters.
Matrix squared_distances(const MatrixView& a, const MatrixView& b);

}  // namespace tyto
