// SPDX-License-Identifier: Apache-2.0
// Rows of posted tables and of truths, fields without what stands around them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tyto::sail_on {

using Fields = std::vector<std::string>;

// Without the blanks and quotes around it.
std::string_view stripped(std::string_view field);

// Every field of it stripped.
Fields stripped(Fields fields);

// Rows of a posted text, every field stripped; `type` is for messages. Throws Refused(500,
// CantReadFile) where a quote is never closed.
std::vector<Fields> posted_rows(std::string_view text, std::string_view type);

}  // namespace tyto::sail_on
