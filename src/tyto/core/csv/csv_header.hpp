// SPDX-License-Identifier: Apache-2.0
// Whether the first line of a CSV text names the columns, where a header may be missing.
#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tyto/core/matrix.hpp"

namespace tyto {

// A whole cell as a number; blanks around it and a plus before it do not matter.
template <class Number>
std::optional<Number> number_in(std::string_view cell) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto begin = cell.find_first_not_of(kBlanks);
  if (begin == cell.npos) {
    return {};
  }
  cell = cell.substr(begin, cell.find_last_not_of(kBlanks) - begin + 1);
  if (cell.starts_with('+')) {
    cell.remove_prefix(1);
  }
  Number value{};
  const auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return problem == std::errc() && end == cell.data() + cell.size() ? std::optional(value)
                                                                    : std::nullopt;
}

struct FirstLine {
  std::string_view file;  // for messages
  Index line = 1;
  std::span<const std::string> cells;
};

// No cell is a number, or one bears the name of a `known` column. False: they are all numbers.
// Throws Error(data) with line, column and value where words and numbers are mixed: a bad cell must
// not make a header of a row.
bool names_columns(const FirstLine& first, std::span<const std::string> known);

}  // namespace tyto
