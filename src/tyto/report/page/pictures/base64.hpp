// SPDX-License-Identifier: Apache-2.0
// Bytes as letters (RFC 4648, with padding), for files that hold text alone.
#pragma once

#include <string>
#include <string_view>

namespace tyto {

std::string base64(std::string_view bytes);

}  // namespace tyto
