// SPDX-License-Identifier: Apache-2.0
// Text as a field of a CSV file (RFC 4180), for every module that writes one.
#pragma once

#include <string>
#include <string_view>

namespace tyto {

// Appends `text`, in quotes where a comma, quote, line end or outer blank asks for them.
inline void append_csv_field(std::string& out, std::string_view text) {
  const bool blank_edge = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!blank_edge && text.find_first_of("\",\r\n") == text.npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') {
      out += '"';
    }
    out += c;
  }
  out += '"';
}

inline std::string csv_field(std::string_view text) {
  std::string out;
  append_csv_field(out, text);
  return out;
}

}  // namespace tyto
