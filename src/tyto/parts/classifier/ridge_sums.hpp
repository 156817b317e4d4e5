// SPDX-License-Identifier: Apache-2.0
// Ridge regression to one-hot classes from sums over samples: what is fitted, on which penalty it
// rests and how well it does follow from them alone, whatever the order of the samples.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/state.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

// G = sum h h', C = sum h y' with y one-hot; the last column of h is a constant 1.
struct RidgeSums {
  Eigen::MatrixXd gram;  // lower triangle
  std::map<std::int32_t, Eigen::VectorXd> by_class;
  Index count = 0;

  // O(n m^2) for rows of m columns.
  void add(const Matrix& rows, std::span<const Label> labels);

  [[nodiscard]] std::vector<Label> classes() const;  // ascending
  // A column of C per class; zeros for one without samples.
  [[nodiscard]] Eigen::MatrixXd targets(std::span<const Label> classes) const;

  // As if each of the k classes had n / k samples: G + sum_c (n / k - n_c) mu_c mu_c', that is, the
  // spread within classes as pooled over all samples, and class means that count alike. Equals
  // weights of n / (k n_c) where all classes have one spread, and needs no sums by class.
  [[nodiscard]] RidgeSums balanced() const;

  void save(State& state) const;
  static RidgeSums loaded(const State& state);
};

// (G + strength I)^-1 C; nothing if the matrix is not positive definite in double. O(m^3).
std::optional<Eigen::MatrixXd> ridge_weights(const Eigen::MatrixXd& gram,
                                             const Eigen::MatrixXd& targets, double strength);

// Of the samples behind the sums under these weights, less the number of samples.
double squared_error(const Eigen::MatrixXd& weights, const Eigen::MatrixXd& gram,
                     const Eigen::MatrixXd& targets);

// The strength with the least error by generalised cross-validation (Golub et al. 1979): residual
// sum over the square of the degrees of freedom left, with one eigen-decomposition for all of them.
// The earlier one wins a tie. Those that leave fewer than one in a hundred are not looked at, but
// for the first. O(m^3).
double least_gcv(const RidgeSums& sums, const Eigen::MatrixXd& targets,
                 std::span<const double> strengths);

}  // namespace tyto
