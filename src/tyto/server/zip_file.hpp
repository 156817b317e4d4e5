// SPDX-License-Identifier: Apache-2.0
// Files put together as one zip, uncompressed.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tyto {

// Names and contents, in this order. Together below 4 GiB.
std::string zip_file(const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace tyto
