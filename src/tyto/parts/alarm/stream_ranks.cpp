// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/alarm/stream_ranks.hpp"

#include <algorithm>
#include <cmath>

namespace tyto {

double StreamRanks::next(float score, float p_value, Index held) {
  held_ = held;
  const double above_held =
      std::round(static_cast<double>(p_value) * static_cast<double>(held + 1)) - 1.0;
  const auto above_sorted = sorted_.end() - std::lower_bound(sorted_.begin(), sorted_.end(), score);
  const auto above_latest = std::count_if(latest_.begin(), latest_.end(),
                                          [&](float earlier) { return earlier >= score; });
  latest_.push_back(score);
  const auto all = static_cast<double>(held) + static_cast<double>(sorted_.size() + latest_.size());
  const double p =
      (1.0 + std::max(0.0, above_held) + static_cast<double>(above_sorted + above_latest)) / all;
  // Inserting one by one would move half of them each time.
  if (latest_.size() * latest_.size() > sorted_.size() + 64) {
    tidy();
  }
  return std::min(1.0, p);
}

void StreamRanks::tidy() {
  std::sort(latest_.begin(), latest_.end());
  const auto middle = static_cast<std::ptrdiff_t>(sorted_.size());
  sorted_.insert(sorted_.end(), latest_.begin(), latest_.end());
  std::inplace_merge(sorted_.begin(), sorted_.begin() + middle, sorted_.end());
  latest_.clear();
}

void StreamRanks::clear() {
  held_ = 0;
  sorted_.clear();
  latest_.clear();
}

void StreamRanks::save(State& state) const {
  const auto row = [](const std::vector<float>& values) {
    return Matrix(Eigen::Map<const Matrix>(values.data(), 1, static_cast<Index>(values.size())));
  };
  state.set("held", std::int64_t{held_});
  state.set("sorted", row(sorted_));
  state.set("latest", row(latest_));
}

void StreamRanks::load(const State& state) {
  const auto values = [&](std::string_view key) {
    const auto& row = state.get<Matrix>(key);
    return std::vector<float>(row.data(), row.data() + row.size());
  };
  held_ = static_cast<Index>(state.get<std::int64_t>("held"));
  sorted_ = values("sorted");
  latest_ = values("latest");
}

}  // namespace tyto
