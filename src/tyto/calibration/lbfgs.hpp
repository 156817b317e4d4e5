// SPDX-License-Identifier: Apache-2.0
// Least value of a smooth function of many numbers (limited-memory BFGS; Nocedal and Wright,
// Numerical Optimization, algorithms 7.5 and 3.5).
#pragma once

#include <functional>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct LbfgsOptions {
  double tolerance = 1e-9;  // on the greatest entry of the gradient
  Index rounds = 1000;
  Index memory = 30;
};

struct LbfgsResult {
  Eigen::VectorXd x;
  double value = 0;
  double slope = 0;  // greatest entry of the gradient there
  Index rounds = 0, calls = 0;
};

// The value, with the gradient at x put into `gradient` (of the size of x).
using SmoothFunction = std::function<double(const Eigen::VectorXd& x, Eigen::VectorXd& gradient)>;

// From `start` downhill; ends early where rounding allows no further descent.
LbfgsResult minimise(const SmoothFunction& function, Eigen::VectorXd start,
                     const LbfgsOptions& options = {});

}  // namespace tyto
