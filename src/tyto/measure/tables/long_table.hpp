// SPDX-License-Identifier: Apache-2.0
// Rows of named cells as text other programs read.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

using Cell = std::variant<std::monostate, Index, double, std::string>;  // monostate: missing

struct LongTable {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

// What tells arms apart, in front of every row: name, value: {"arm", "evm"}.
using Leading = std::vector<std::pair<std::string, std::string>>;

// A table whose first columns are those of the first of `arms` (anything with a `leading`).
template <class Arms>
LongTable table_of(const Arms& arms) {
  LongTable table;
  if (!arms.empty()) {
    for (const auto& [name, value] : arms.front().leading) {
      table.columns.push_back(name);
    }
  }
  return table;
}

// The first cells of a row of it.
std::vector<Cell> row_of(const Leading& leading);

// A missing cell is empty. Numbers read back to the same double.
std::string csv_text(const LongTable& table);

// A list of objects, one a line; a missing cell is null.
std::string json_text(const LongTable& table);

template <class T>
Cell cell(const std::optional<T>& value) {
  return value ? Cell(*value) : Cell();
}

}  // namespace tyto
