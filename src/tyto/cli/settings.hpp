// SPDX-License-Identifier: Apache-2.0
// key=value, as `--set` of every verb takes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/config.hpp"
#include "tyto/core/options.hpp"

namespace tyto {

// Sets key (dots descend) to value; messages, also later ones about the value, name `flag`.
void apply_setting(ConfigNode& node, std::string_view setting, std::string_view flag = "--set");

// The same for what has these options and no others; `owner` is whose they are, for messages.
void apply_setting(ConfigNode& node, std::string_view setting, std::string_view flag,
                   const std::vector<OptionHelp>& options, std::string_view owner);

}  // namespace tyto
