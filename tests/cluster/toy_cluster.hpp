// SPDX-License-Identifier: Apache-2.0
// Runs a registered clusterer with a fixed seed.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "tyto/cluster/clusterer.hpp"

namespace tyto::toy {

inline Partitions cluster_by(std::string_view name,
                             const std::map<std::string, std::string>& options,
                             const ClusterTask& task, std::uint64_t seed = 1) {
  std::string yaml = "{";
  for (const auto& [key, value] : options) {
    yaml += key + ": " + value + ", ";
  }
  const ConfigNode node = parse_yaml(yaml + "}", "test");
  Progress progress;
  Work work{Rng(seed), progress};
  return find_clusterer(name).make(node, name)->cluster(task, work);
}

inline const Grouping& chosen(const Partitions& found) {
  return found.levels.at(found.chosen);
}

inline Index count_groups(const Grouping& groups) {
  return groups.empty() ? 0 : Index{*std::max_element(groups.begin(), groups.end())} + 1;
}

}  // namespace tyto::toy
