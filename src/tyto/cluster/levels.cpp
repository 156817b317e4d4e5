// SPDX-License-Identifier: Apache-2.0
// Groups numbered alike everywhere, and the level of a hierarchy that known labels speak for.
#include <map>

#include "tyto/cluster/clusterer.hpp"
#include "tyto/core/error.hpp"
#include "tyto/math/assignment.hpp"

namespace tyto {

Grouping numbered(std::span<const std::int32_t> groups) {
  std::map<std::int32_t, std::int32_t> number;
  Grouping out;
  out.reserve(groups.size());
  for (const std::int32_t group : groups) {
    out.push_back(number.emplace(group, static_cast<std::int32_t>(number.size())).first->second);
  }
  return out;
}

std::size_t level_by_labels(const std::vector<Grouping>& levels,
                            std::span<const std::int32_t> labels, std::size_t otherwise) {
  std::map<std::int32_t, Index> classes;
  for (const std::int32_t label : labels) {
    if (label >= 0) {
      classes.emplace(label, static_cast<Index>(classes.size()));
    }
  }
  if (classes.empty()) {
    return otherwise;
  }
  std::size_t best = 0;
  std::int64_t most = -1;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const Grouping& groups = levels[level];
    TYTO_ASSERT(groups.size() == labels.size());
    Index count = 0;
    std::map<std::int32_t, Index> column;  // groups with a labelled row
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] >= 0 && column.emplace(groups[i], count).second) {
        ++count;
      }
    }
    auto cost = Dense<std::int64_t>::Zero(std::ssize(classes), count).eval();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] >= 0) {
        cost(classes.at(labels[i]), column.at(groups[i])) -= 1;
      }
    }
    std::int64_t right = 0;
    const std::vector<Index> pairs = least_cost_pairs(cost);
    for (std::size_t c = 0; c < pairs.size(); ++c) {
      right -= pairs[c] < 0 ? 0 : cost(static_cast<Index>(c), pairs[c]);
    }
    if (right > most) {
      most = right;
      best = level;
    }
  }
  return best;
}

}  // namespace tyto
