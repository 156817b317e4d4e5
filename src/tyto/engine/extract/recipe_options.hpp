// SPDX-License-Identifier: Apache-2.0
// A recipe in words: how YAML and --set change it, and how a record names it.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/nn/recipe.hpp"

namespace tyto {

// `node` holds what differs from `standard`.
Recipe read_recipe(const ConfigNode& node, const Recipe& standard, std::string_view path);
ConfigNode recipe_node(const Recipe& recipe);
std::vector<OptionHelp> recipe_help(const Recipe& standard = {});

}  // namespace tyto
