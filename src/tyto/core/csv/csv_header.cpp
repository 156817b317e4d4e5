// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/csv/csv_header.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

bool names_columns(const FirstLine& first, std::span<const std::string> known) {
  const auto is_word = [](const std::string& cell) { return !number_in<double>(cell); };
  const auto is_known = [&](const std::string& cell) {
    return std::find(known.begin(), known.end(), cell) != known.end();
  };
  if (std::all_of(first.cells.begin(), first.cells.end(), is_word) ||
      std::any_of(first.cells.begin(), first.cells.end(), is_known)) {
    return true;
  }
  const auto word = std::find_if(first.cells.begin(), first.cells.end(), is_word);
  if (word == first.cells.end()) {
    return false;
  }
  throw Error(ErrorKind::data,
              fmt::format("{}: line {}, column {}: \"{}\" is not a number, and the line is no "
                          "header, since others of its cells are numbers",
                          first.file, first.line, word - first.cells.begin() + 1, *word));
}

}  // namespace tyto
