// SPDX-License-Identifier: Apache-2.0
// Main directions of few rows in many columns, found in the number of rows: the n x n matrix of
// inner products has the eigenvalues that the d x d scatter has beside zeros.
#pragma once

#include "tyto/math/eigen_symmetric.hpp"

namespace tyto {

// Eigenvalues and vectors of rows' rows / weight, of n rows and d columns. The directions are those
// that carry more than rounding, at most n of them; one of value 0 where no row has any length.
// O(n^2 d + n^3) time, O(n d) memory.
Spectrum thin_spectrum(const Dense<double>& rows, double weight);

// The columns, which are of unit length and at right angles, and further ones likewise up to
// `count`, each with its largest entry positive. O(d count^2).
Eigen::MatrixXd with_more_directions(const Eigen::MatrixXd& columns, Index count);

}  // namespace tyto
