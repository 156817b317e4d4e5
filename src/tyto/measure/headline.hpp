// SPDX-License-Identifier: Apache-2.0
// The few numbers of one arm that stand in the final table, each with a sentence for its legend.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tyto/measure/table.hpp"
#include "tyto/record/headline_columns.hpp"

namespace tyto {

struct HeadlineNumber : HeadlineColumn {
  Better better = Better::higher;
  std::optional<double> value;      // missing if the run has no such row or no value in it
  std::optional<double> deviation;  // over several seeds
  std::optional<double> low, high;  // where the row has an interval
};

// Without values: what the table of a run will show. Throws Error(config) for a measure that does
// not exist.
std::vector<HeadlineNumber> headline_legend(std::span<const HeadlineColumn> columns);

// Rows of one arm, as measure_run made them; `novel_to` picks the reference.
std::vector<HeadlineNumber> headline(std::span<const MeasureRow> rows,
                                     std::span<const HeadlineColumn> columns,
                                     NovelTo novel_to = NovelTo::predictor);

}  // namespace tyto
