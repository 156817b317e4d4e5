// SPDX-License-Identifier: Apache-2.0
// A Gaussian with a full covariance in double, jittered only where it is singular: the density of
// the released GMM FINCH, kept finite for any number of rows.
#pragma once

#include "tyto/core/matrix.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

class JitteredGaussian {
 public:
  // Mean and unbiased covariance S of the rows. S counts as singular where an eigenvalue is not
  // above max(n, d) 2^-52 times the largest; then it becomes S + epsilon I. Fewer rows than
  // `fewest`: epsilon I. O(n d min(n, d)) time.
  JitteredGaussian(const MatrixView& rows, double epsilon, Index fewest);

  // Of each row. Distances within and off the span of the rows are taken apart, so that a tiny
  // epsilon does not drown the one in the rounding of the other.
  [[nodiscard]] Eigen::VectorXd log_density(const Dense<double>& rows) const;

  [[nodiscard]] Index directions() const { return variance_.size(); }

  void save(State& state) const;
  explicit JitteredGaussian(const State& state);

 private:
  Eigen::VectorXd mean_;
  Eigen::MatrixXd axes_;      // d x r, orthonormal
  Eigen::VectorXd variance_;  // along the axes
  double noise_ = 0;          // variance in all other directions; 0 where there are none
};

}  // namespace tyto
