// SPDX-License-Identifier: Apache-2.0
// Rows spread out: the next one is furthest from all before it (Gonzalez 1985).
#pragma once

#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

// All rows. `nearest` holds the squared distance of each row to what is labelled already; empty:
// nothing is, and the row nearest to the mean comes first. Ties to the lower row. After `picks`
// rows taken one by one the others follow by their distance to these. O(picks n d) time, O(n)
// memory.
std::vector<Index> farthest_first(const MatrixView& rows, Vector nearest, Index picks);

// The row nearest to the mean, which is the one of least summed squared distance to the others;
// ties to the lower row. O(n d).
Index medoid(const MatrixView& rows);

}  // namespace tyto
