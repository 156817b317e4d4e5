// SPDX-License-Identifier: Apache-2.0
// A one-class support vector machine with a Gaussian kernel, solved by libsvm (Schölkopf et al.,
// Estimating the Support of a High-Dimensional Distribution, Neural Computation 2001).
#pragma once

#include "tyto/core/matrix.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

// One over width times the variance of all entries, as scikit-learn's `scale`; 1 without variance.
double scale_gamma(const MatrixView& rows);

class OneClassSvm {
 public:
  OneClassSvm() = default;

  // nu in (0, 1] bounds the share of the rows left outside; gamma 0: scale_gamma. Between O(n^2 d)
  // and O(n^3).
  OneClassSvm(const MatrixView& rows, double nu, double gamma);

  [[nodiscard]] const Matrix& vectors() const { return vectors_; }  // about the centre

  [[nodiscard]] double gamma() const { return gamma_; }

  // log rho - log sum_i a_i exp(-gamma |x - x_i|^2): above 0 outside, and in the order of
  // libsvm's decision turned round. The logarithm still tells far rows apart, whose kernels all
  // vanish. One matrix product over the m support vectors, O(n m d).
  [[nodiscard]] Vector outside(const MatrixView& rows) const;

  void save(State& state) const;
  void load(const State& state);

 private:
  Matrix centre_, vectors_;         // one row; a row per support vector
  Dense<double> log_weights_;       // one row, weights sum to 1
  double log_rho_ = 0, gamma_ = 0;  // rho for weights that sum to 1
};

}  // namespace tyto
