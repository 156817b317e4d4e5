// SPDX-License-Identifier: Apache-2.0
// The clustering methods by name, from the list of the build file.
#include <algorithm>

#include "tyto/cluster/clusterer.hpp"
#include "tyto/core/named.hpp"

namespace tyto {

#define TYTO_CLUSTERER(name) ClustererSpec name##_clusterer();
#include "builtin_clusterers.inc"
#undef TYTO_CLUSTERER

std::span<const ClustererSpec> clusterer_specs() {
  static const std::vector<ClustererSpec> specs = [] {
    std::vector<ClustererSpec> all;
#define TYTO_CLUSTERER(name) all.push_back(name##_clusterer());
#include "builtin_clusterers.inc"
#undef TYTO_CLUSTERER
    std::sort(all.begin(), all.end(),
              [](const ClustererSpec& a, const ClustererSpec& b) { return a.name < b.name; });
    return all;
  }();
  return specs;
}

const ClustererSpec& find_clusterer(std::string_view name) {
  return find_named(clusterer_specs(), "clustering method", name);
}

}  // namespace tyto
