// SPDX-License-Identifier: Apache-2.0
// Local outlier factors of new rows among fitted ones (Breunig et al., LOF: Identifying
// Density-Based Local Outliers, SIGMOD 2000).
#pragma once

#include "tyto/core/matrix.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

class LocalDensity {
 public:
  LocalDensity() = default;

  // The k nearest of the other rows count; all of them where there are fewer. O(n^2 d).
  LocalDensity(Matrix rows, Index k);

  [[nodiscard]] const Matrix& rows() const { return rows_; }

  // Mean density of the k nearest fitted rows over the density at the row itself: about 1 inside,
  // higher where it is lonelier than they are. A density is one over the mean of
  // max(distance, how far the k-th neighbour of the neighbour is). O(n m d).
  [[nodiscard]] Vector factors(const MatrixView& rows) const;

  void save(State& state) const;
  void load(const State& state);

 private:
  Matrix rows_;
  Matrix reach_, density_;  // of each row, one column: distance to its k-th neighbour, density
  Index k_ = 0;
};

}  // namespace tyto
