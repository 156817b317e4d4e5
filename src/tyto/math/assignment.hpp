// SPDX-License-Identifier: Apache-2.0
// Whom to pair with whom at the least cost (the linear assignment problem), exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

// For each row its column, no column twice: min(rows, cols) pairs of the least sum of costs; -1 for
// a row left over where there are more rows than columns. Equal costs give the same pairs on every
// run. Shortest augmenting paths (Jonker and Volgenant 1987): O(n^3) at worst, near O(rows * cols)
// where most rows have a cheapest column of their own. Sums of `rows` costs must fit 62 bits.
std::vector<Index> least_cost_pairs(const Dense<std::int64_t>& cost);
// The same pairs from half the memory.
std::vector<Index> least_cost_pairs_of_small(const Dense<std::int32_t>& cost);

}  // namespace tyto
