// SPDX-License-Identifier: Apache-2.0
// Predictions joined with the actual classes, which another table or a dataset tells.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/csv/csv.hpp"

namespace tyto {

struct ActualClasses {
  std::string from;                 // a table, or a dataset by name or path
  std::string column;               // of a table; "": the one with a usual name
  std::vector<std::string> places;  // of datasets
};

// The name of the column that `with_actual_classes` adds.
constexpr std::string_view kActualColumn = "actual class";

// The predictions with one more column. Samples are found by `id_column` of the predictions: by
// their number from 1 where that is called `row`, else by name in whichever column of the table
// holds all names. Rows without an actual class are left out, which `notes` says. Throws Error that
// names file and column, or the first sample that is not there.
CsvTable with_actual_classes(const CsvTable& predictions, const std::string& id_column,
                             const ActualClasses& classes, std::vector<std::string>& notes);

}  // namespace tyto
