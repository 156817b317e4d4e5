// SPDX-License-Identifier: Apache-2.0
// Which columns are distributed otherwise in new rows than in those that were learned from.
#pragma once

#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct ColumnShift {
  Index column = 0;
  double distance = 0;  // of Kolmogorov and Smirnov: the greatest gap between the two shares below
  double p_value = 1;   // of such a gap by chance, for all columns together (Bonferroni)
  float median_before = 0, median_now = 0;
};

// Columns whose gap is no chance (p below 0.001) and at least 0.1, the widest first, ties to the
// lower column. O((n + m) log (n + m) d).
std::vector<ColumnShift> shifted_columns(const Matrix& before, const Matrix& now);

}  // namespace tyto
