// SPDX-License-Identifier: Apache-2.0
// Predictors by name: one YAML file each, in presets/ of the working directory or beside the
// library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/config.hpp"

namespace tyto {

std::vector<std::string> preset_names();

// Throws Error(config) with the names there are and the likeliest spelling.
ConfigNode load_preset(std::string_view name);

}  // namespace tyto

// Example:
//
//   for (const std::string& name : preset_names()) {
//     const PredictorConfig preset = read_predictor(load_preset(name), name);
//   }
