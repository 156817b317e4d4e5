// SPDX-License-Identifier: Apache-2.0
// Text as Unicode: single letters where they count, and UTF-16, in which some tests are kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tyto::sail_on {

// Of UTF-8; a byte that belongs to none becomes U+FFFD.
std::u32string code_points(std::string_view text);

// UTF-16 with or without its mark (then little endian) as UTF-8; a broken pair becomes U+FFFD.
std::string utf8_of_utf16(std::string_view bytes);
// Little endian with a mark.
std::string utf16_of_utf8(std::string_view text);

}  // namespace tyto::sail_on
