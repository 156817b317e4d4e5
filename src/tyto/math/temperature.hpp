// SPDX-License-Identifier: Apache-2.0
// The one factor on the scores that makes their softmax fit known answers best.
#pragma once

#include <span>

#include "tyto/core/matrix.hpp"

namespace tyto {

// Minimises the mean of -log softmax(s * scores)[truth] over s in [1e-4, 1e4]: convex, found by
// bisection of its slope. `truth` holds a column per row. A share `smoothing` of each answer is
// spread evenly over all columns: without it, scores that are right every time have no finite best.
// O(n k).
double fit_scale(const MatrixView& scores, std::span<const Index> truth, double smoothing = 0.0);

}  // namespace tyto
