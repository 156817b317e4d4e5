// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/names.hpp"

#include <algorithm>

namespace tyto::sail_on {

namespace {

constexpr std::size_t kLongestName = 100;  // three of them and an ending fit into a file's name

// Length of the sequence of UTF-8 at `at`; 0: it is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return 0;
    }
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool beyond = (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF4 && byte(1) > 0x8F);
  return overlong || beyond ? 0 : length;
}

}  // namespace

bool is_plain_name(std::string_view name) {
  const auto forbidden = [](char c) {
    return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  };
  return !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
         std::none_of(name.begin(), name.end(), forbidden) && is_utf8(name);
}

bool is_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = text[at] == '\0' ? 0 : utf8_length(text, at);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

}  // namespace tyto::sail_on
