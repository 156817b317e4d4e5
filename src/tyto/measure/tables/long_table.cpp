// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/tables/long_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/csv/csv_text.hpp"

namespace tyto {

namespace {

struct CsvText {
  std::string operator()(std::monostate) const { return ""; }

  std::string operator()(Index number) const { return fmt::format("{}", number); }

  std::string operator()(double number) const { return fmt::format("{}", number); }

  std::string operator()(const std::string& text) const { return csv_field(text); }
};

struct JsonValue {
  nlohmann::ordered_json operator()(std::monostate) const { return nullptr; }

  template <class T>
  nlohmann::ordered_json operator()(const T& value) const {
    return value;
  }
};

}  // namespace

std::vector<Cell> row_of(const Leading& leading) {
  std::vector<Cell> cells;
  for (const auto& [name, value] : leading) {
    cells.emplace_back(value);
  }
  return cells;
}

std::string csv_text(const LongTable& table) {
  std::string text;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    text += (c == 0 ? "" : ",") + csv_field(table.columns[c]);
  }
  text += '\n';
  for (const std::vector<Cell>& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      text += (c == 0 ? "" : ",") + std::visit(CsvText(), row[c]);
    }
    text += '\n';
  }
  return text;
}

std::string json_text(const LongTable& table) {
  std::string text = "[";
  for (const std::vector<Cell>& row : table.rows) {
    nlohmann::ordered_json object;
    for (std::size_t c = 0; c < row.size(); ++c) {
      object[table.columns[c]] = std::visit(JsonValue(), row[c]);
    }
    text += (text.size() > 1 ? ",\n" : "\n") + object.dump();
  }
  return text + "\n]\n";
}

}  // namespace tyto
