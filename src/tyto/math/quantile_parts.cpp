// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/quantile_parts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

std::vector<Index> equal_count_parts(std::span<const double> values, Index parts) {
  if (parts < 1) {
    throw Error(ErrorKind::config,
                fmt::format("values are cut into one or more parts, not into {}", parts));
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<Index> part(values.size(), -1);
  const auto count = std::ssize(order);
  for (Index rank = 0; rank < count; ++rank) {
    part[order[static_cast<std::size_t>(rank)]] = rank * parts / count;
  }
  return part;
}

}  // namespace tyto
