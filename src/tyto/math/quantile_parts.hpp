// SPDX-License-Identifier: Apache-2.0
// Values cut by rank into parts of equal count: thirds small, average and large.
#pragma once

#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

// The part of each value, 0 for the smallest; -1 for NaN, which takes no place in the ranking. The
// value of ascending rank r among m goes to floor(r parts / m): sizes differ by at most one, and
// equal values fall in the order they are given. Throws Error(config) unless parts >= 1.
std::vector<Index> equal_count_parts(std::span<const double> values, Index parts);

}  // namespace tyto
