// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/posted_rows.hpp"

#include "tyto/sail_on/csv_rows.hpp"
#include "tyto/sail_on/refused.hpp"

namespace tyto::sail_on {

std::string_view stripped(std::string_view field) {
  constexpr std::string_view kAround = " \"'";
  const auto begin = field.find_first_not_of(kAround);
  return begin == field.npos ? std::string_view()
                             : field.substr(begin, field.find_last_not_of(kAround) - begin + 1);
}

Fields stripped(Fields fields) {
  for (auto& field : fields) {
    field = std::string(stripped(std::string_view(field)));
  }
  return fields;
}

std::vector<Fields> posted_rows(std::string_view text, std::string_view type) {
  std::vector<Fields> out;
  try {
    for (auto& row : csv_rows(text, type)) {
      out.push_back(stripped(std::move(row.fields)));
    }
  } catch (const Error& problem) {
    throw Refused(500, "CantReadFile", problem.what());
  }
  return out;
}

}  // namespace tyto::sail_on
