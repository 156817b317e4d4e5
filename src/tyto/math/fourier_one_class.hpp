// SPDX-License-Identifier: Apache-2.0
// A one-class support vector machine whose Gaussian kernel is replaced by random Fourier features
// (Rahimi and Recht, NIPS 2007): time and memory grow with the rows, not with their square.
#pragma once

#include "tyto/core/matrix.hpp"
#include "tyto/core/random.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

// The linear machine of Schölkopf et al. over rows z: the direction w and the threshold rho of
// min |w|^2 / 2 - rho + sum_i max(0, rho - w.z_i) / (nu n). By accelerated projected gradients on
// the dual, until the duality gap is 1e-4 of the objective or 2000 rounds are over: O(n D) each.
struct LinearOneClass {
  Vector direction;
  double rho = 0;
};

LinearOneClass linear_one_class(const MatrixView& rows, double nu);

class FourierOneClass {
 public:
  FourierOneClass() = default;

  // nu and gamma as of OneClassSvm; `features` at least 2, in pairs of cosine and sine.
  FourierOneClass(const MatrixView& rows, double nu, double gamma, Index features, Rng rng);

  // 1 - w.z(x) / rho: above 0 outside, and about 1 far from every row, where all look alike but for
  // noise of the order of 1 / (rho sqrt(features)). O(n D d).
  [[nodiscard]] Vector outside(const MatrixView& rows) const;

  void save(State& state) const;
  void load(const State& state);

 private:
  [[nodiscard]] Matrix mapped(const MatrixView& rows) const;

  Matrix centre_, frequencies_, direction_;  // one row; a row per pair; one row
  double rho_ = 1;
};

}  // namespace tyto
