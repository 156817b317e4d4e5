// SPDX-License-Identifier: Apache-2.0
// Count, mean and scatter of rows in O(r d) memory: the strongest r directions of the scatter, and
// of all others the diagonal. Exact where the scatter has no more than r directions.
#pragma once

#include "tyto/core/matrix.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

class ScatterSketch {
 public:
  // Adds rows and keeps the `rank` strongest directions. O(n d (r + 128)) time.
  void add(const MatrixView& rows, Index rank);

  [[nodiscard]] Index count() const { return count_; }

  [[nodiscard]] const Eigen::VectorXd& mean() const { return mean_; }

  // r x d; basis' basis + diag(rest) stands for the sum of (x - mean)(x - mean)'.
  [[nodiscard]] const Matrix& basis() const { return basis_; }

  [[nodiscard]] const Eigen::VectorXd& rest() const { return rest_; }

  [[nodiscard]] Eigen::VectorXd diagonal() const;  // of the scatter; exact up to rounding

  static void save(std::span<const ScatterSketch> sketches, State& state);
  static std::vector<ScatterSketch> loaded(const State& state);

 private:
  void add_block(const MatrixView& rows, Index rank);

  Index count_ = 0;
  Eigen::VectorXd mean_, rest_;
  Matrix basis_;
};

}  // namespace tyto
