// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/temperature.hpp"

#include <cmath>
#include <vector>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

// Derivative of the summed loss at scale s: expected score less the wanted one, row by row.
double slope(const MatrixView& scores, std::span<const Index> truth, double smoothing, double s) {
  std::vector<double> terms(truth.size());
  for_each_index(scores.rows(), [&](Index i) {
    const double highest = static_cast<double>(scores.row(i).maxCoeff());
    double weights = 0.0;
    double weighted = 0.0;
    double sum = 0.0;
    for (Index j = 0; j < scores.cols(); ++j) {
      const double below = static_cast<double>(scores(i, j)) - highest;
      const double weight = std::exp(s * below);
      weights += weight;
      weighted += weight * below;
      sum += below;
    }
    const auto at = static_cast<std::size_t>(i);
    const double right = static_cast<double>(scores(i, truth[at])) - highest;
    const double even = sum / static_cast<double>(scores.cols());
    terms[at] = weighted / weights - (1.0 - smoothing) * right - smoothing * even;
  });
  double sum = 0.0;
  for (const double term : terms) {
    sum += term;
  }
  return sum;
}

}  // namespace

double fit_scale(const MatrixView& scores, std::span<const Index> truth, double smoothing) {
  TYTO_ASSERT(scores.rows() == static_cast<Index>(truth.size()) && !truth.empty());
  double low = std::log(1e-4);
  double high = std::log(1e4);
  for (int step = 0; step < 40; ++step) {
    const double middle = 0.5 * (low + high);
    (slope(scores, truth, smoothing, std::exp(middle)) < 0.0 ? low : high) = middle;
  }
  return std::exp(0.5 * (low + high));
}

}  // namespace tyto
