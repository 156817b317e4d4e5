// SPDX-License-Identifier: Apache-2.0
#include "tyto/client/round_ids.hpp"

#include "tyto/core/error.hpp"
#include "tyto/sail_on/csv_rows.hpp"
#include "tyto/sail_on/unicode.hpp"

namespace tyto::client {

namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end != 0) {
      lines.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

std::vector<std::string> first_fields(std::string_view utf16) {
  if (utf16.size() % 2 != 0) {
    throw Error(ErrorKind::data, "the round's UTF-16 text ends within a character");
  }
  std::vector<std::string> fields;
  for (sail_on::CsvRow& row : sail_on::csv_rows(sail_on::utf8_of_utf16(utf16), "the round", '|')) {
    fields.push_back(std::move(row.fields[0]));
  }
  return fields;
}

}  // namespace

std::vector<std::string> round_ids(std::string_view body) {
  if (body.starts_with("\xFF\xFE") || body.starts_with("\xFE\xFF")) {
    return first_fields(body);
  }
  return lines_of(body);
}

}  // namespace tyto::client
