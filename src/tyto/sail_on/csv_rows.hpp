// SPDX-License-Identifier: Apache-2.0
// Rows of the protocol's CSV texts, which have no header and another quote than the standard.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto::sail_on {

struct CsvRow {
  Index line = 0;  // of the text, from 1
  std::vector<std::string> fields;
};

// Fields as they stand, without the quotes around them; a doubled quote inside is one. Blank lines
// are skipped, rows may differ in length, LF and CRLF end them. Throws Error(data) naming line and
// `name` where a quote is never closed.
std::vector<CsvRow> csv_rows(std::string_view text, std::string_view name, char quote = '"');

// A field as a number: NaN if it is empty or "nan". Throws Error(data) naming name, line and column
// (from 1).
double number_at(const CsvRow& row, Index column, std::string_view name);

}  // namespace tyto::sail_on
