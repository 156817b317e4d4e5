// SPDX-License-Identifier: Apache-2.0
// Quantiles of a sample: interpolated, as NumPy's default, or one of the values themselves.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "tyto/core/error.hpp"
#include "tyto/core/matrix.hpp"

namespace tyto {

// The value of that rank among the sorted ones, from 0.
template <class T>
T order_statistic(std::span<const T> values, Index rank) {
  TYTO_ASSERT(rank >= 0 && rank < static_cast<Index>(values.size()));
  std::vector<T> copy(values.begin(), values.end());
  std::nth_element(copy.begin(), copy.begin() + rank, copy.end());
  return copy[static_cast<std::size_t>(rank)];
}

// Linear interpolation at (n - 1) q; q in [0, 1].
template <class T>
double quantile(std::span<const T> values, double q) {
  if (values.empty()) {
    throw Error(ErrorKind::numeric, "a quantile of no values is not defined");
  }
  TYTO_ASSERT(q >= 0.0 && q <= 1.0);
  const double at = static_cast<double>(values.size() - 1) * q;
  const auto low = static_cast<std::size_t>(std::floor(at));
  std::vector<T> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double share = at - std::floor(at);
  const auto below = static_cast<double>(sorted[low]);
  if (share == 0.0) {
    return below;
  }
  return below + share * (static_cast<double>(sorted[low + 1]) - below);
}

// The smallest value that at least a share q of all values do not exceed; for q = 0 the minimum.
template <class T>
T covering_quantile(std::span<const T> values, double q) {
  if (values.empty()) {
    throw Error(ErrorKind::numeric, "a quantile of no values is not defined");
  }
  TYTO_ASSERT(q >= 0.0 && q <= 1.0);
  const auto n = static_cast<double>(values.size());
  // 0.95 * 20 is 19 in the reals; the product may land a rounding above it.
  const double needed = std::ceil(q * n - 1e-9);
  return order_statistic(values, static_cast<Index>(std::clamp(needed, 1.0, n)) - 1);
}

}  // namespace tyto
