// SPDX-License-Identifier: Apache-2.0
// How well a space serves an open world, asked of samples and classes that were left out of it.
#pragma once

#include <span>

#include "tyto/core/matrix.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

// Rows of one space: those it was fitted to, and others, some of them of classes that it does not
// know. Between 0 and 1, the mean of
// - the geometric mean of the probability of the class of a left-out row of a known class, where
//   fitted rows speak for theirs the more the nearer they are, by the sharpness that serves best;
// - the chance that a left-out row of an unknown class is farther from the nearest fitted rows than
//   one of a known class.
// A half stands for what cannot be said; 0 is the quality of rows that are not finite. O(n m d)
// time, O(n m) memory.
double space_quality(const Matrix& fitted, std::span<const Label> labels, const Matrix& left_out,
                     std::span<const Label> their_labels);

}  // namespace tyto
