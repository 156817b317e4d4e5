// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/score_range.hpp"

#include <cmath>
#include <vector>

#include "tyto/math/quantile.hpp"

namespace tyto {

std::optional<ScoreRange> score_range(std::span<const float> scores) {
  std::vector<double> finite;
  for (const float score : scores) {
    if (std::isfinite(score)) {
      finite.push_back(static_cast<double>(score));
    }
  }
  if (finite.empty()) {
    return std::nullopt;
  }
  const std::span<const double> all(finite);
  ScoreRange range{quantile(all, 0.005), quantile(all, 0.995)};
  if (!(range.low < range.high)) {
    range.low -= 0.5;
    range.high += 0.5;
  }
  return range;
}

}  // namespace tyto
