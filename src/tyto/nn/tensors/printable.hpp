// SPDX-License-Identifier: Apache-2.0
// Text of a file nobody trusts, as it may stand in a message.
#pragma once

#include <string>
#include <string_view>

namespace tyto {

// Bytes outside ASCII and those that steer a terminal as \x1b; cut after 100.
std::string printable(std::string_view text);

}  // namespace tyto
