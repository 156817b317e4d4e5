// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/tables/render.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

void check_leading(std::span<const ArmMeasures> arms) {
  const auto same = [&](const ArmMeasures& arm) {
    return std::equal(arm.leading.begin(), arm.leading.end(), arms.front().leading.begin(),
                      arms.front().leading.end(),
                      [](const auto& a, const auto& b) { return a.first == b.first; });
  };
  const auto odd = std::find_if_not(arms.begin(), arms.end(), same);
  if (odd != arms.end()) {
    throw Error(ErrorKind::state,
                fmt::format("arm {} has other leading columns than the first", odd - arms.begin()));
  }
}

}  // namespace

Cell step_cell(Index step) {
  return step == kAllSteps ? Cell("all") : Cell(step);
}

LongTable long_table(std::span<const ArmMeasures> arms, MoreColumns more) {
  check_leading(arms);
  LongTable table = table_of(arms);
  table.columns.insert(table.columns.end(), {"step", "phase", "split"});
  if (more.groups) {
    table.columns.insert(table.columns.end(), {"group", "samples"});
  }
  table.columns.insert(table.columns.end(), {"novel_to", "view", "measure", "value"});
  if (more.intervals) {
    table.columns.insert(table.columns.end(), {"low", "high"});
  }
  for (const ArmMeasures& arm : arms) {
    for (const MeasureRow& row : arm.rows) {
      std::vector<Cell>& cells = table.rows.emplace_back(row_of(arm.leading));
      cells.reserve(table.columns.size());
      cells.push_back(step_cell(row.step));
      cells.emplace_back(row.phase);
      cells.emplace_back(row.split);
      if (more.groups) {
        cells.emplace_back(row.group);
        cells.emplace_back(row.samples);
      }
      cells.emplace_back(row.novel_to);
      cells.emplace_back(row.view);
      cells.emplace_back(row.measure);
      cells.push_back(cell(row.value));
      if (more.intervals) {
        cells.push_back(cell(row.low));
        cells.push_back(cell(row.high));
      }
    }
  }
  return table;
}

std::string to_csv(std::span<const ArmMeasures> arms) {
  return csv_text(long_table(arms));
}

std::string to_json(std::span<const ArmMeasures> arms) {
  return json_text(long_table(arms));
}

}  // namespace tyto
