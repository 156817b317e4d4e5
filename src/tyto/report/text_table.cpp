// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/text_table.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace tyto {

namespace {

// Characters on the screen: continuation bytes of UTF-8 take no place.
std::size_t shown_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & '\xC0') != '\x80'; }));
}

}  // namespace

std::string TextTable::text(std::size_t first_number) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t j = 0; j < row.size(); ++j) {
      widths[j] = std::max(widths[j], shown_width(row[j]));
    }
  }
  std::string out;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    std::string line;
    for (std::size_t j = 0; j < rows_[i].size(); ++j) {
      const std::string pad(widths[j] - shown_width(rows_[i][j]), ' ');
      line += j == 0 ? "" : "  ";
      line += j >= first_number ? pad + rows_[i][j] : rows_[i][j] + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (i == 0) {
      std::size_t total = 0;
      for (const std::size_t width : widths) {
        total += width + 2;
      }
      out += std::string(total - std::min<std::size_t>(total, 2), '-') + "\n";
    }
  }
  return out;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::istringstream words(text);
  std::string out;
  std::string line;
  std::string word;
  while (words >> word) {
    if (!line.empty() && indent + shown_width(line) + 1 + shown_width(word) > width) {
      out += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? out : out + std::string(indent, ' ') + line + "\n";
}

}  // namespace tyto
