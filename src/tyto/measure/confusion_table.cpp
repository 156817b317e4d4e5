// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/confusion_table.hpp"

namespace tyto {

LongTable confusion_table(std::span<const ArmSeries> arms, MoreColumns more) {
  LongTable table;
  if (!arms.empty()) {
    for (const auto& [name, value] : arms.front().leading) {
      table.columns.push_back(name);
    }
  }
  table.columns.insert(table.columns.end(), {"step", "phase", "split"});
  if (more.groups) {
    table.columns.emplace_back("group");
  }
  table.columns.insert(table.columns.end(), {"novel_to", "view", "actual", "predicted", "count"});
  const auto append = [&](const ArmSeries& arm, const PhaseSeries& series, const PhaseView& view) {
    std::vector<Cell> front;
    for (const auto& [name, value] : arm.leading) {
      front.emplace_back(value);
    }
    front.insert(front.end(), {step_cell(view.key.step), view.key.phase, view.key.split});
    if (more.groups) {
      front.emplace_back(series.group);
    }
    front.emplace_back(std::string(novel_to_name(view.novel_to)));
    for (const View kind : kViews) {
      const Confusion& matrix = view.views.of(kind);
      for (const auto& [pair, count] : matrix.cells()) {
        std::vector<Cell>& cells = table.rows.emplace_back(front);
        cells.emplace_back(std::string(view_name(kind)));
        cells.emplace_back(matrix.labels()[static_cast<std::size_t>(pair.first)]);
        cells.emplace_back(matrix.labels()[static_cast<std::size_t>(pair.second)]);
        cells.emplace_back(static_cast<Index>(count));
      }
    }
  };
  for (const ArmSeries& arm : arms) {
    for (const PhaseSeries& series : arm.series) {
      StepTotals totals({});
      for (const PhaseView& step : series.steps) {
        append(arm, series, step);
        totals.add(step, {});
      }
      append(arm, series, totals.counts());
    }
  }
  return table;
}

}  // namespace tyto
