// SPDX-License-Identifier: Apache-2.0
// The value of --by.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/matrix.hpp"

namespace tyto {

// "area:3" is the column area in 3 parts; a column may itself have a colon in its name.
inline std::pair<std::string, std::optional<Index>> parse_by(const std::string& text) {
  const auto colon = text.rfind(':');
  Index parts = 0;
  if (colon != text.npos) {
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data() + colon + 1, end, parts);
    if (problem == std::errc() && stop == end) {
      if (parts < 2) {
        throw Error(ErrorKind::config, fmt::format("--by {}: 2 parts or more are needed", text));
      }
      return {text.substr(0, colon), parts};
    }
  }
  return {text, std::nullopt};
}

}  // namespace tyto
