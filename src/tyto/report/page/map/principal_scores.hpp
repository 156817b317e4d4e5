// SPDX-License-Identifier: Apache-2.0
// Rows seen along their principal directions, the same at any number of threads.
#pragma once

#include "tyto/core/matrix.hpp"

namespace tyto {

// n x count: the centred rows along the `count` directions of greatest variance, greatest first; a
// direction that does not exist (count > d, no spread left) gives 0. Exact where rows or columns
// are 1,024 or fewer, O(n d min(n, d)) time; else by 40 rounds of subspace iteration, O(n d) each.
Matrix principal_scores(const MatrixView& rows, Index count);

}  // namespace tyto
