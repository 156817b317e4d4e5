// SPDX-License-Identifier: Apache-2.0
// A table as a user may have it: cells parted by commas, semicolons or tabs; read whole and as it
// arrives, and asked what it is: columns and their roles, predictions, a list of tasks.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/entry_points.hpp"

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/csv/csv_stream.hpp"
#include "tyto/core/csv/separator.hpp"
#include "tyto/core/error.hpp"
#include "tyto/data/table_roles.hpp"
#include "tyto/data/tasks/task_list.hpp"
#include "tyto/record/foreign/prediction_table.hpp"

namespace tyto {

namespace {

using Lines = std::vector<std::vector<std::string>>;

// In pieces of seven bytes; none: refused.
std::optional<Lines> streamed(const std::string& text) {
  std::size_t at = 0;
  CsvStream stream(
      [&](char* to, std::size_t most) {
        const std::size_t taken = std::min({most, std::size_t{7}, text.size() - at});
        std::copy_n(text.data() + at, taken, to);
        at += taken;
        return taken;
      },
      "fuzz");
  Lines lines;
  try {
    for (auto some = stream.read(3, true); !some.empty(); some = stream.read(3, true)) {
      for (auto& record : some) {
        lines.push_back(std::move(record.cells));
      }
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  return lines;
}

template <class Act>
void tried(const Act& act) {
  try {
    act();
  } catch (const Error&) {
    return;
  }
}

void ask_everything(const CsvTable& table) {
  for (Index column = 0; column < std::ssize(table.columns()); ++column) {
    tried([&] { static_cast<void>(table.numbers(column)); });
    tried([&] { static_cast<void>(table.counts(column)); });
  }
  tried([&] { static_cast<void>(find_roles(table)); });
  tried([&] { static_cast<void>(read_task_list(table)); });
  tried([&] {
    const TableRecord record(table, {});
    for (const PhaseKey& key : record.phases()) {
      const Phase phase = record.phase(key);
      if (phase.top.rows() != phase.size()) {
        std::abort();
      }
    }
  });
}

}  // namespace

int fuzz_tables(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  static_cast<void>(has_decimal_comma(text));
  std::optional<CsvTable> table;
  tried([&] { table = CsvTable::parse(text, "fuzz.csv"); });
  const auto lines = streamed(text);
  if (table) {
    // Both readers of one text agree, where the text is parted by commas; a blank line of a single
    // column may be an empty cell or nothing.
    if (separator_of(text) == ',' && table->columns().size() > 1 &&
        (!lines || std::ssize(*lines) != table->rows() + 1)) {
      std::abort();
    }
    ask_everything(*table);
  }
  tried([&] { ask_everything(CsvTable::parse(with_commas(text), "fuzz.csv")); });
  return 0;
}

}  // namespace tyto
