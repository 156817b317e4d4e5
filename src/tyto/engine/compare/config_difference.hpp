// SPDX-License-Identifier: Apache-2.0
// In what two YAML documents differ, key by key.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tyto/core/config.hpp"

namespace tyto {

struct ConfigDifference {
  std::string path;                          // "predictors.slda.accepted_error", "data.0"
  std::optional<std::string> first, second;  // in one line; missing: not there
};

// In the order of the first, then what the second alone has. Items of lists are told apart by their
// `name` where every item of both has one of its own, else lists of maps go by position; lists of
// plain values are one value. A branch that one side lacks is one difference.
std::vector<ConfigDifference> config_differences(const ConfigNode& first, const ConfigNode& second);

// "[0, 0.5]", "{name: knn, k: 5}", "~" for nothing.
std::string one_line(const ConfigNode& node);

}  // namespace tyto
