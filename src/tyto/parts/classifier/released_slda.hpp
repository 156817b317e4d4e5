// SPDX-License-Identifier: Apache-2.0
// Running means and covariance as the public code of Deep SLDA computes them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

// Sample t, counted from 0, adds t / (t + 1) (z - mu)(z - mu)' with mu the mean of its class before
// it, 0 for a class not seen yet: the first sample of a class adds its raw outer product, and the
// order of samples matters. O(n d^2) time, O(d^2 + k d) memory.
class ReleasedSldaMoments {
 public:
  void add(const MatrixView& rows, std::span<const std::int32_t> keys);

  [[nodiscard]] Index count() const { return count_; }  // rows

  // Ascending; counts and means follow this order.
  [[nodiscard]] std::vector<std::int32_t> keys() const;
  [[nodiscard]] std::vector<Index> counts() const;
  [[nodiscard]] Dense<double> means() const;
  [[nodiscard]] Eigen::MatrixXd covariance() const;  // the sum over the number of samples

  void save(State& state) const;
  void load(const State& state);

 private:
  struct Class {
    Index count = 0;
    Eigen::VectorXd mean;
  };

  Index count_ = 0;
  std::map<std::int32_t, Class> classes_;
  Eigen::MatrixXd sum_;  // lower triangle
};

}  // namespace tyto
