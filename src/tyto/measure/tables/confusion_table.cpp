// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/tables/confusion_table.hpp"

#include "tyto/measure/formulas/ordered_confusion.hpp"

namespace tyto {

LongTable confusion_table(std::span<const ArmSeries> arms, MoreColumns more) {
  LongTable table = table_of(arms);
  table.columns.insert(table.columns.end(), {"step", "phase", "split"});
  if (more.groups) {
    table.columns.emplace_back("group");
  }
  table.columns.insert(table.columns.end(),
                       {"novel_to", "view", "rank", "actual", "predicted", "count"});
  const auto append = [&](const ArmSeries& arm, const PhaseSeries& series, const PhaseView& view,
                          const OrderedConfusion& ranked) {
    std::vector<Cell> front = row_of(arm.leading);
    front.insert(front.end(), {step_cell(view.key.step), view.key.phase, view.key.split});
    if (more.groups) {
      front.emplace_back(series.group);
    }
    front.emplace_back(novel_to_name(view.novel_to));
    const auto add = [&](View kind, Index rank, const Confusion& matrix) {
      for (const auto& [pair, count] : matrix.cells()) {
        std::vector<Cell>& cells = table.rows.emplace_back(front);
        cells.emplace_back(std::string(view_name(kind)));
        cells.emplace_back(rank);
        cells.emplace_back(matrix.labels()[static_cast<std::size_t>(pair.first)]);
        cells.emplace_back(matrix.labels()[static_cast<std::size_t>(pair.second)]);
        cells.emplace_back(static_cast<Index>(count));
      }
    };
    for (const View kind : kViews) {
      add(kind, 1, view.views.of(kind));
      if (kind == View::raw) {
        for (Index rank = 1; rank < ranked.ranks(); ++rank) {
          add(kind, rank + 1, ranked.slices[static_cast<std::size_t>(rank)]);
        }
      }
    }
  };
  for (const ArmSeries& arm : arms) {
    for (const PhaseSeries& series : arm.series) {
      StepTotals totals({});
      OrderedConfusion all;
      for (const PhaseView& step : series.steps) {
        const OrderedConfusion ranked = ordered_confusion(step);
        append(arm, series, step, ranked);
        totals.add(step, {});
        all.merge(ranked);
      }
      append(arm, series, totals.counts(), all);
    }
  }
  return table;
}

}  // namespace tyto
