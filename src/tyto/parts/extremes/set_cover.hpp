// SPDX-License-Identifier: Apache-2.0
// Which few rows stand for all: a greedy cover by balls about the rows.
#pragma once

#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

// Row i covers itself and every row whose squared distance is at most reach[i]. Rows are picked one
// by one, each time the one that covers most of those still uncovered, the lowest number among
// equals; the answer is in the order of picking. At most 1 + ln n times as many as needed.
// O(n^2 d) time, n^2 / 8 bytes.
std::vector<Index> greedy_cover(const MatrixView& rows, const Vector& reach);

}  // namespace tyto
