// SPDX-License-Identifier: Apache-2.0
// Mean and main directions of rows that arrive block by block, all of one class. As long as the
// rows are fewer than their columns they are kept themselves and directions cost O(n^2 d); from
// then on the scatter is kept, and they cost O(d^3).
#pragma once

#include "tyto/math/class_statistics.hpp"
#include "tyto/math/eigen_symmetric.hpp"

namespace tyto {

class RowScatter {
 public:
  void add(const MatrixView& rows);

  [[nodiscard]] Index width() const { return is_thin() ? rows_.cols() : sums_.width(); }

  [[nodiscard]] Index count() const { return is_thin() ? rows_.rows() : sums_.count(); }

  [[nodiscard]] bool is_thin() const { return sums_.count() == 0; }  // rows are kept

  [[nodiscard]] Eigen::RowVectorXd mean() const;  // of at least one row

  // Of the covariance, over n - 1. Thin: the directions that carry anything, at least one; the
  // values of all others are 0.
  [[nodiscard]] Spectrum spectrum() const;
  // Likewise of the mean of (x - origin)'(x - origin).
  [[nodiscard]] Spectrum spectrum_about(const Eigen::RowVectorXd& origin) const;

  void save(State& state) const;
  void load(const State& state);

 private:
  Matrix rows_;  // none once they are summed up
  ClassStatistics sums_{Scatter::full};
};

// Length of what the first `kept` of its directions leave of each row.
Eigen::VectorXd residual_lengths(const Dense<double>& rows, const Eigen::MatrixXd& kept);

}  // namespace tyto
