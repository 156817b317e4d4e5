// SPDX-License-Identifier: Apache-2.0
// Tables for a terminal: columns as wide as their content, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace tyto {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  void add_gap() { rows_.emplace_back(); }

  // Columns from `first_number` on are set to the right.
  [[nodiscard]] std::string text(std::size_t first_number = 1) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Lines of at most `width` characters, broken at blanks, each behind `indent` blanks.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace tyto
