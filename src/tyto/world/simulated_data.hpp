// SPDX-License-Identifier: Apache-2.0
// Worlds whose option `simulated` lets a simulated world stand for the data.
#pragma once

#include "tyto/world/registry.hpp"

namespace tyto {

// WorldSpec::does_without_data of such a world.
bool names_simulated(const ConfigNode& options);

// Adds the samples of the simulated world, unless `simulated` is null. Throws Error(config) where
// there are data already; `path` is the dotted name of the world's own options.
void add_simulated(const ConfigNode& simulated, std::string_view path, std::uint64_t seed,
                   std::vector<Dataset>& datasets);

}  // namespace tyto
