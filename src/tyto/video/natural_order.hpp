// SPDX-License-Identifier: Apache-2.0
// Names as people count: frame2 before frame10.
#pragma once

#include <string_view>

namespace tyto {

// Runs of digits are compared as numbers of any length, everything else byte by byte; names that
// differ in leading zeros alone are told apart byte by byte.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace tyto
