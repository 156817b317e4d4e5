// SPDX-License-Identifier: Apache-2.0
// Logistic regression on one or two numbers and a constant, by Newton's method.
#pragma once

#include <span>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct LogisticFit {
  Eigen::VectorXd weight;  // of each column, then the constant
  double loss = 0;         // mean cross entropy
};

// Columns of `inputs` and targets in [0, 1]. A ridge of 1e-9 on standardised weights keeps answers
// that can be told apart without error from running away.
LogisticFit fit_logistic(const Dense<double>& inputs, std::span<const double> targets);

}  // namespace tyto
