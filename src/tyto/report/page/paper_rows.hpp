// SPDX-License-Identifier: Apache-2.0
// The arms of runs as rows of a table for a paper.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/report/page/source.hpp"
#include "tyto/report/paper_table.hpp"

namespace tyto {

// Of several seeds the mean and the deviation (divisor: seeds - 1), of one seed a 95 % bootstrap
// interval of its test samples.
std::vector<PaperRow> paper_rows(const PageSource& source, Progress& progress);

// What the numbers beside the values are, and which runs are not finished.
std::string paper_note(const PageSource& source);

}  // namespace tyto
