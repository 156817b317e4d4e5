// SPDX-License-Identifier: Apache-2.0
// Measures as text other programs read: measures.csv and measures.json.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tyto/measure/table.hpp"

namespace tyto {

// The rows of one arm of an experiment and the columns that tell arms apart.
struct ArmMeasures {
  std::vector<std::pair<std::string, std::string>> leading;  // name, value: {"arm", "evm"}
  std::vector<MeasureRow> rows;
};

// Long format: leading columns, step (a number or "all"), phase, split, novel_to, view, measure,
// value (empty if missing). Numbers read back to the same double. Throws Error(state) if the arms
// differ in their leading columns.
std::string to_csv(std::span<const ArmMeasures> arms);

// A list of objects with the same fields; a missing value is null, all steps are "all".
std::string to_json(std::span<const ArmMeasures> arms);

}  // namespace tyto
