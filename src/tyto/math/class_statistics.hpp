// SPDX-License-Identifier: Apache-2.0
// Counts, means and pooled within-class scatter of rows that arrive block by block (Chan et al.
// 1979), in double. The result is that of one pass over all rows, up to rounding.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

enum class Scatter { diagonal, full };

// O(n d) time for the diagonal, O(n d^2) for the full scatter; O(k d) and O(d^2) memory.
class ClassStatistics {
 public:
  explicit ClassStatistics(Scatter scatter) : kind_(scatter) {}

  // `keys` has an entry per row: the class it belongs to.
  void add(const MatrixView& rows, std::span<const std::int32_t> keys);
  void add(const MatrixView& rows);  // all of one class

  [[nodiscard]] Index width() const { return width_; }

  [[nodiscard]] Index count() const { return count_; }  // rows

  [[nodiscard]] Index classes() const { return static_cast<Index>(classes_.size()); }

  // Ascending; counts and means follow this order.
  [[nodiscard]] std::vector<std::int32_t> keys() const;
  [[nodiscard]] std::vector<Index> counts() const;
  [[nodiscard]] Dense<double> means() const;

  // Sums of squared deviations from the own class's mean, per column.
  [[nodiscard]] Eigen::VectorXd diagonal() const;
  // Scatter over n - k, the unbiased pooled estimate; all zeros where every class has one row.
  [[nodiscard]] Eigen::MatrixXd covariance() const;  // full only
  [[nodiscard]] double variance() const;             // mean of the covariance's diagonal

  void save(State& state) const;
  void load(const State& state);

 private:
  struct Class {
    Index count = 0;
    Eigen::VectorXd mean;
  };

  void add_block(const MatrixView& rows, std::span<const std::int32_t> keys);
  [[nodiscard]] double freedom() const;

  Scatter kind_;
  Index width_ = 0, count_ = 0;
  std::map<std::int32_t, Class> classes_;
  Eigen::MatrixXd scatter_;  // lower triangle, or one column for the diagonal
};

}  // namespace tyto
