// SPDX-License-Identifier: Apache-2.0
// Count, mean and scatter of every class for itself, of rows that arrive block by block (Chan et
// al. 1979), in double. ClassStatistics pools the scatter; here each class keeps its own.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

// O(n d^2) time and, with half of each symmetric matrix kept, 4 k d^2 bytes for k classes.
class ClassScatters {
 public:
  void add(std::int32_t key, const MatrixView& rows);

  [[nodiscard]] Index width() const { return width_; }

  [[nodiscard]] Index count() const { return count_; }  // rows

  [[nodiscard]] Index classes() const { return static_cast<Index>(classes_.size()); }

  [[nodiscard]] std::vector<std::int32_t> keys() const;  // ascending

  // Of a class that was added.
  [[nodiscard]] Index count(std::int32_t key) const { return classes_.at(key).count; }

  [[nodiscard]] const Eigen::VectorXd& mean(std::int32_t key) const {
    return classes_.at(key).mean;
  }

  // Scatter over n - 1; all zeros for a class of one row.
  [[nodiscard]] Eigen::MatrixXd covariance(std::int32_t key) const;
  [[nodiscard]] double total_variance(std::int32_t key) const;  // its trace, in O(d)
  // Of all classes about their own means, over n - k; all zeros where every class has one row.
  [[nodiscard]] Eigen::MatrixXd pooled_covariance() const;

  void save(State& state) const;
  void load(const State& state);

 private:
  struct Class {
    Index count = 0;
    Eigen::VectorXd mean;
    Eigen::VectorXd scatter;  // lower triangle, column after column
  };

  [[nodiscard]] Eigen::MatrixXd unpacked(const Eigen::VectorXd& triangle) const;

  Index width_ = 0, count_ = 0;
  std::map<std::int32_t, Class> classes_;
};

}  // namespace tyto
