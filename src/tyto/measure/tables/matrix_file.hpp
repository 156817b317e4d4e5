// SPDX-License-Identifier: Apache-2.0
// Somebody else's accuracy matrix of class-incremental learning, as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/measure/formulas/task_matrix.hpp"

namespace tyto {

struct MatrixFileOptions {
  bool percent = false;                 // else where a value is above 1
  std::vector<Index> classes, samples;  // by task; empty: as the file says
};

struct MatrixFile {
  TaskMatrix matrix;  // in the unit of the file
  bool percent = false;
  std::vector<std::string> notes;  // what was supposed
};

// A row after each task, a column for each task; cells by comma, semicolon, tab or blanks. A first
// line with names and a first column with names may be there. Nothing, "-" or "nan": not tested.
// Rows and columns called classes or samples tell how many each task has. Above the diagonal only
// the next task counts. Throws Error(data) naming file, line, column, value and rule.
MatrixFile parse_task_matrix(std::string_view text, const std::string& name,
                             const MatrixFileOptions& options);

// A value for each task: in a row, in a column, or on the diagonal of a matrix; one alone is every
// task's. Throws Error(data) as above.
std::vector<double> parse_task_values(std::string_view text, const std::string& name,
                                      const MatrixFile& of);

}  // namespace tyto
