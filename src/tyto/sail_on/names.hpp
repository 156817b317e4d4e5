// SPDX-License-Identifier: Apache-2.0
// Names that came from outside and may become part of a file's name.
#pragma once

#include <string_view>

namespace tyto::sail_on {

// Text that stays in its folder: one to a hundred bytes without separators of paths, bytes of
// control or a dot in front. A session, a test, a protocol, a domain or a type of results.
bool is_plain_name(std::string_view name);

// Whether the bytes are UTF-8 without zero bytes.
bool is_utf8(std::string_view text);

}  // namespace tyto::sail_on
