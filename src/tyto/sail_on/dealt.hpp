// SPDX-License-Identifier: Apache-2.0
// Which samples of a test are dealt, and where they stand in its order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tyto/sail_on/test_data.hpp"

namespace tyto::sail_on {

// False for an id of nothing but dots, commas, quotes and tabs, which old tables hold in rows that
// are no samples.
bool is_dealt(std::string_view id);

// Ids in the order in which they are dealt.
std::vector<std::string> dealt_ids(const TestData& test);

// By id: its place in that order.
std::unordered_map<std::string, std::int64_t> dealt_places(const TestData& test);

}  // namespace tyto::sail_on
