// SPDX-License-Identifier: Apache-2.0
// The samples of a round as a server writes them down.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tyto::client {

// One id per line, as it is: blanks, quotes and commas belong to it. Text that starts with the
// mark of UTF-16 has rows instead (domain nlt: id,writer,|text|,sentiment,product), whose first
// fields are the ids. Throws Error(data) where such text ends within a character or a quote.
std::vector<std::string> round_ids(std::string_view body);

}  // namespace tyto::client
