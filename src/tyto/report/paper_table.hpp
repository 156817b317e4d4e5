// SPDX-License-Identifier: Apache-2.0
// The headline of arms as a table for a paper: CSV, Markdown or LaTeX.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tyto/report/headline_table.hpp"

namespace tyto {

enum class PaperFormat { csv, markdown, latex };

struct PaperRow {
  std::string run;  // shown where the rows are of several runs
  HeadlineArm arm;
};

// Rows of one feedback level stand together, levels and rows in the order given; in Markdown and
// LaTeX the best printed value of a level is bold in each column if two rows or more have one, and
// rows that show other numbers, as runs of another protocol do, make a table of their own.
// Values are `mean ± deviation` over seeds or `value [low, high]`. CSV holds every digit, with
// columns of their own for deviation, low and high where a row has them, and no `note`. LaTeX needs
// the package booktabs.
std::string paper_table(std::span<const PaperRow> rows, PaperFormat format,
                        std::string_view note = {});

// Text as the format prints it literally.
std::string markdown_text(std::string_view text);
std::string latex_text(std::string_view text);

}  // namespace tyto
