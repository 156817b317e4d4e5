// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/csv/separator.hpp"

#include <algorithm>

#include "tyto/core/csv/csv_header.hpp"

namespace tyto {

char separator_of(std::string_view text) {
  std::size_t semicolons = 0, tabs = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      if (c == ',') {
        return ',';
      }
      if (c == '\n') {
        break;
      }
      semicolons += c == ';' ? 1U : 0U;
      tabs += c == '\t' ? 1U : 0U;
    }
  }
  if (semicolons + tabs == 0) {
    return ',';
  }
  return tabs > semicolons ? '\t' : ';';
}

bool has_decimal_comma(std::string_view cell) {
  if (std::count(cell.begin(), cell.end(), ',') != 1 || cell.find('.') != cell.npos) {
    return false;
  }
  std::string with_point(cell);
  with_point[cell.find(',')] = '.';
  return number_in<double>(with_point).has_value();
}

std::string with_commas(std::string text) {
  const char separator = separator_of(text);
  if (separator == ',') {
    return text;
  }
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '"') {  // up to its closing quote as it is
      std::size_t end = at + 1;
      while (end < text.size() && (text[end] != '"' || text.compare(end, 2, "\"\"") == 0)) {
        end += text[end] == '"' ? 2U : 1U;
      }
      end = std::min(end + 1, text.size());
      out.append(text, at, end - at);
      at = end;
    } else {
      std::size_t end = at;
      while (end < text.size() && text[end] != separator && text[end] != '\n') {
        ++end;
      }
      std::string_view cell(text.data() + at, end - at);
      const bool carriage = cell.ends_with('\r');
      cell.remove_suffix(carriage ? 1 : 0);
      const std::size_t comma = cell.find(',');
      if (comma != cell.npos && has_decimal_comma(cell)) {
        out.append(cell.substr(0, comma)).append(".").append(cell.substr(comma + 1));
      } else if (comma != cell.npos && cell.find('"') == cell.npos) {
        out.append("\"").append(cell).append("\"");
      } else {
        out.append(cell);
      }
      out.append(carriage ? "\r" : "");
      at = end;
    }
    if (at < text.size() && (text[at] == separator || text[at] == '\n')) {
      out += text[at] == separator ? ',' : '\n';
      ++at;
    }
  }
  return out;
}

}  // namespace tyto
