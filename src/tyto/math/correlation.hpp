// SPDX-License-Identifier: Apache-2.0
// Covariances turned into correlations that can be solved with, as FeCAM compares classes by
// (Goswami et al. 2023).
#pragma once

#include "tyto/core/matrix.hpp"

namespace tyto {

// Which off-diagonal entries their mean is taken of: all, or those that are not 0.
enum class OffDiagonal { all, not_zero };

// S + diagonal v I + rest w (1 - I), with v the mean of S's diagonal and w that of its rest.
// O(d^2).
Eigen::MatrixXd with_mean_entries(Eigen::MatrixXd covariance, double diagonal, double rest,
                                  OffDiagonal which = OffDiagonal::all);

// Entries over the deviations of their row and column; a column without variance stays alone, with
// 1 on the diagonal. O(d^2).
Eigen::MatrixXd correlation_of(Eigen::MatrixXd covariance);

// Lower triangular L with L L' = R. Where R is singular (a pivot of L is below 1e-3): of R + e I
// with the least e of 1e-6, 1e-5, ... that is not. O(d^3).
Eigen::MatrixXd correlation_factor(const Eigen::MatrixXd& correlation);

}  // namespace tyto
