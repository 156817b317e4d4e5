// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/settings.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"

namespace tyto {

namespace {

std::string_view key_of(std::string_view setting, std::string_view flag) {
  const auto equals = setting.find('=');
  if (equals == 0 || equals == setting.npos) {
    throw Error(
        ErrorKind::config,
        fmt::format("{} {}: must be key=value, where dots in the key descend", flag, setting));
  }
  return setting.substr(0, equals);
}

}  // namespace

void apply_setting(ConfigNode& node, std::string_view setting, std::string_view flag) {
  const std::string_view key = key_of(setting, flag);
  set_path(node, key, setting.substr(key.size() + 1), fmt::format("{} {}", flag, key));
}

void apply_setting(ConfigNode& node, std::string_view setting, std::string_view flag,
                   const std::vector<OptionHelp>& options, std::string_view owner) {
  const std::string_view key = key_of(setting, flag);
  std::vector<std::string> keys;
  for (const OptionHelp& option : options) {
    keys.push_back(option.key);
  }
  if (std::find(keys.begin(), keys.end(), key.substr(0, key.find('.'))) == keys.end()) {
    throw Error(ErrorKind::config,
                fmt::format("{} {}: {} has no option \"{}\"{}; there are: {}", flag, setting, owner,
                            key, did_you_mean(key, keys),
                            keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, ", "))));
  }
  apply_setting(node, setting, flag);
}

}  // namespace tyto
