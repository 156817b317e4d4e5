// SPDX-License-Identifier: Apache-2.0
// Sums over rows by responsibility: what a mixture of Gaussians is fitted from.
#pragma once

#include "tyto/core/matrix.hpp"

namespace tyto {

struct WeightedSums {
  Eigen::VectorXd count;
  Dense<double> first, second;  // of the rows and of their squares, a row per component

  WeightedSums(Index components, Index width)
      : count(Eigen::VectorXd::Zero(components)),
        first(Dense<double>::Zero(components, width)),
        second(Dense<double>::Zero(components, width)) {}

  void add(const Dense<double>& share, const Dense<double>& rows) {
    count += share.colwise().sum().transpose();
    first.noalias() += share.transpose() * rows;
    second.noalias() += share.transpose() * rows.cwiseAbs2();
  }
};

}  // namespace tyto
