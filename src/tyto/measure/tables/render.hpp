// SPDX-License-Identifier: Apache-2.0
// Measures as text other programs read: measures.csv and measures.json.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tyto/measure/table.hpp"
#include "tyto/measure/tables/long_table.hpp"

namespace tyto {

// The rows of one arm of an experiment and the columns that tell arms apart.
struct ArmMeasures {
  Leading leading;
  std::vector<MeasureRow> rows;
};

// Columns of measures.csv are always there; these are, where they were asked for.
struct MoreColumns {
  bool groups = false;     // group and samples
  bool intervals = false;  // low and high
};

// Long format: leading columns, step (a number or "all"), phase, split, novel_to, view, measure,
// value (missing where not defined). Throws Error(state) if the arms differ in their leading
// columns.
LongTable long_table(std::span<const ArmMeasures> arms, MoreColumns more = {});

// Numbers read back to the same double.
std::string to_csv(std::span<const ArmMeasures> arms);

// A list of objects with the same fields; a missing value is null, all steps are "all".
std::string to_json(std::span<const ArmMeasures> arms);

Cell step_cell(Index step);

}  // namespace tyto
