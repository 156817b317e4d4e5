// SPDX-License-Identifier: Apache-2.0
// Mahalanobis distances to class means under one shared covariance, kept up lesson by lesson.
#pragma once

#include <string>

#include <Eigen/Cholesky>

#include "tyto/parts/running_statistics.hpp"

namespace tyto {

// Plain distances between whitened rows are distances under the covariance S, S^-1 = matrix
// matrix'.
struct Whitening {
  Matrix centre, matrix;

  [[nodiscard]] Matrix apply(const Matrix& rows) const;
};

Whitening whitening_of(const Eigen::LLT<Eigen::MatrixXd>& covariance,
                       const Eigen::RowVectorXd& centre);

// O(n d^2) to learn and O(d^3) per lesson, O(n d (d + k)) for distances.
class SharedGaussians {
 public:
  // `who` asks: an Error names it. Shrinkage as in shrunk_covariance.
  SharedGaussians(double shrinkage, std::string who);

  void learn(const Experience& experience, Work& work);
  // Squared, a column per class. Throws Error(state) before the first labelled sample.
  [[nodiscard]] Matrix distances(const Matrix& features) const;

  [[nodiscard]] const ClassStatistics& statistics() const { return statistics_; }

  void save(State& state) const;
  void load(const State& state);

 private:
  double shrinkage_;
  std::string who_;
  ClassStatistics statistics_{Scatter::full};
  Whitening whitening_;
  Matrix means_;  // whitened
};

}  // namespace tyto
