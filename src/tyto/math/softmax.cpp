// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tyto/core/parallel.hpp"

namespace tyto {

Vector log_sum_exp(const MatrixView& logits) {
  Vector out(logits.rows());
  for_each_index(logits.rows(), [&](Index i) {
    float highest = -std::numeric_limits<float>::infinity();
    for (Index j = 0; j < logits.cols(); ++j) {
      highest = std::max(highest, logits(i, j));
    }
    if (!std::isfinite(highest)) {
      out[i] = highest;
      return;
    }
    double sum = 0.0;
    for (Index j = 0; j < logits.cols(); ++j) {
      sum += static_cast<double>(std::exp(logits(i, j) - highest));
    }
    out[i] = highest + static_cast<float>(std::log(sum));
  });
  return out;
}

Matrix log_softmax(const MatrixView& logits) {
  const Vector sums = log_sum_exp(logits);
  Matrix out = logits;
  out.colwise() -= sums;
  return out;
}

Matrix softmax(const MatrixView& logits) {
  Matrix out = log_softmax(logits);
  for_each_index(out.rows(), [&](Index i) {
    double sum = 0.0;
    for (Index j = 0; j < out.cols(); ++j) {
      out(i, j) = std::exp(out(i, j));
      sum += static_cast<double>(out(i, j));
    }
    out.row(i) /= static_cast<float>(sum);
  });
  return out;
}

}  // namespace tyto
