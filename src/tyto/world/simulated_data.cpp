// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/simulated_data.hpp"

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

bool names_simulated(const ConfigNode& options) {
  const ConfigNode* simulated = options.find("simulated");
  return simulated != nullptr && !simulated->is_null();
}

void add_simulated(const ConfigNode& simulated, std::string_view path, std::uint64_t seed,
                   std::vector<Dataset>& datasets) {
  if (simulated.is_null()) {
    return;
  }
  const std::string own = fmt::format("{}.simulated", path);
  if (!datasets.empty()) {
    throw Error(ErrorKind::config, fmt::format("{}: stands for data, and data are given too", own));
  }
  datasets.push_back(simulate_world(simulated, own, seed));
}

}  // namespace tyto
