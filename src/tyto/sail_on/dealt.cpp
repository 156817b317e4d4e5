// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/dealt.hpp"

namespace tyto::sail_on {

bool is_dealt(std::string_view id) {
  return id.find_first_not_of("\n\t\"',.") != id.npos;
}

std::vector<std::string> dealt_ids(const TestData& test) {
  std::vector<std::string> out;
  for (const auto& row : test.rows) {
    if (!row.empty() && is_dealt(row[0])) {
      out.push_back(row[0]);
    }
  }
  return out;
}

std::unordered_map<std::string, std::int64_t> dealt_places(const TestData& test) {
  std::unordered_map<std::string, std::int64_t> out;
  std::int64_t place = 0;
  for (const auto& id : dealt_ids(test)) {
    out.try_emplace(id, place++);
  }
  return out;
}

}  // namespace tyto::sail_on
