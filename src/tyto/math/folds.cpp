// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/folds.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace tyto {

std::vector<Index> fold_of(Index n, std::span<const Index> groups, Index folds, Rng rng) {
  std::map<Index, Index> numbers;  // of groups, by first appearance
  for (const Index group : groups) {
    numbers.try_emplace(group, std::ssize(numbers));
  }
  std::vector<Index> out(static_cast<std::size_t>(n));
  const bool by_group = std::ssize(numbers) >= folds;
  const std::vector<Index> order = rng.permutation(by_group ? std::ssize(numbers) : n);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Index unit = by_group ? numbers.at(groups[i]) : static_cast<Index>(i);
    out[i] = order[static_cast<std::size_t>(unit)] % folds;
  }
  return out;
}

std::vector<Index> groups_of(Rows rows, std::span<const Index> groups, Index fewest) {
  std::vector<Index> out;
  for (const Index row : rows) {
    if (!groups.empty()) {
      out.push_back(groups[static_cast<std::size_t>(row)]);
    }
  }
  if (std::ssize(std::set<Index>(out.begin(), out.end())) < fewest) {
    out.clear();
  }
  return out;
}

MeanGain mean_gain(std::span<const double> values, std::span<const Index> groups) {
  std::map<Index, double> by_group;
  for (std::size_t i = 0; i < values.size(); ++i) {
    by_group[groups.empty() ? static_cast<Index>(i) : groups[i]] += values[i];
  }
  MeanGain out;
  const auto n = static_cast<double>(values.size());
  const auto units = static_cast<double>(by_group.size());
  for (const auto& [group, sum] : by_group) {
    out.mean += sum / n;
  }
  if (by_group.size() < 2) {
    out.error = std::numeric_limits<double>::infinity();
    return out;
  }
  double squares = 0.0;  // of the groups' shares of the mean
  for (const auto& [group, sum] : by_group) {
    const double off = sum / n - out.mean / units;
    squares += off * off;
  }
  out.error = std::sqrt(squares * units / (units - 1.0));
  return out;
}

}  // namespace tyto
