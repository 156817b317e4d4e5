// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/step_map.hpp"

#include <algorithm>

#include "tyto/calibration/confidence_map.hpp"

namespace tyto {

std::size_t Steps::index_of(double p) const {
  const auto at = std::lower_bound(upper.begin(), upper.end(), p) - upper.begin();
  return std::min(static_cast<std::size_t>(at), upper.size() - 1);
}

std::vector<double> even_edges(Index bins) {
  std::vector<double> upper;
  for (Index b = 1; b <= bins; ++b) {
    upper.push_back(static_cast<double>(b) / static_cast<double>(bins));
  }
  return upper;
}

std::vector<double> mass_edges(std::vector<double> values, Index bins) {
  std::sort(values.begin(), values.end());
  const Index n = std::ssize(values);
  std::vector<double> upper;
  Index end = 0;
  for (Index b = 0; b + 1 < bins; ++b) {
    end += n / bins + (b < n % bins ? 1 : 0);
    if (end > 0 && end < n) {
      const auto at = static_cast<std::size_t>(end);
      upper.push_back(0.5 * (values[at - 1] + values[at]));
    }
  }
  upper.push_back(1.0);
  upper.erase(std::unique(upper.begin(), upper.end()), upper.end());
  return upper;
}

Steps fit_steps(std::span<const double> p, std::span<const std::uint8_t> hit,
                std::vector<double> upper) {
  Steps out;
  out.upper = std::move(upper);
  out.count.resize(out.upper.size());
  out.hits.resize(out.upper.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    const std::size_t b = out.index_of(p[i]);
    ++out.count[b];
    out.hits[b] += hit[i] != 0 ? 1.0 : 0.0;
  }
  for (std::size_t b = 0; b < out.upper.size(); ++b) {
    const double low = b == 0 ? 0.0 : out.upper[b - 1];
    out.value.push_back(out.count[b] > 0 ? out.hits[b] / static_cast<double>(out.count[b])
                                         : 0.5 * (low + out.upper[b]));
  }
  return out;
}

double held_back(double value, double p, Index samples) {
  const double least = 1.0 / (static_cast<double>(samples) + 2.0);
  return std::clamp(value, std::min(p, least), std::max(p, 1.0 - least));
}

std::vector<double> probabilities_of(std::span<const double> log_odds) {
  std::vector<double> out;
  out.reserve(log_odds.size());
  for (const double one : log_odds) {
    out.push_back(logistic(one));
  }
  return out;
}

}  // namespace tyto
