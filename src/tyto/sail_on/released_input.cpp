// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/released_input.hpp"

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"
#include "tyto/sail_on/csv_rows.hpp"
#include "tyto/sail_on/test_truth.hpp"

namespace tyto::sail_on {

namespace {

Dense<double> class_table(std::string_view text) {
  constexpr std::string_view kName = "classification";
  const std::vector<CsvRow> rows = csv_rows(text, kName);
  const Index columns = rows.empty() ? 0 : std::ssize(rows.front().fields) - 1;
  Dense<double> table(std::ssize(rows), columns);
  for (Index i = 0; i < table.rows(); ++i) {
    const CsvRow& row = rows[at(i)];
    if (std::ssize(row.fields) - 1 != columns) {
      throw Error(ErrorKind::data, fmt::format("{}: line {} has {} columns, the first row has {}",
                                               kName, row.line, row.fields.size(), columns + 1));
    }
    for (Index c = 0; c < columns; ++c) {
      table(i, c) = number_at(row, c + 1, kName);
    }
  }
  return table;
}

template <class Number>
Number truth_number(const TestData& test, std::size_t row, Index column) {
  const std::vector<std::string>& fields = test.rows[row];
  const std::string text = at(column) < fields.size() ? fields[at(column)] : "";
  const auto number = number_in<Number>(text);
  if (!number) {
    throw Error(ErrorKind::data, fmt::format("{}: row {}, column {}: \"{}\" is not a whole number",
                                             test.id, row + 1, column + 1, text));
  }
  return *number;
}

}  // namespace

ReleasedInput released_input(const TestData& test, std::string_view detection,
                             std::string_view classification) {
  const TruthColumns columns = truth_columns(test.domain);
  ReleasedInput input;
  for (const CsvRow& row : csv_rows(detection, "detection")) {
    input.changed.push_back(number_at(row, 1, "detection"));
  }
  input.probability = class_table(classification);
  for (std::size_t r = 0; r < test.rows.size(); ++r) {
    input.novel.push_back(truth_number<int>(test, r, columns.novel));
    input.label.push_back(truth_number<std::int64_t>(test, r, columns.label));
  }
  input.threshold = metadata_text(test, "threshold");
  input.is_transcripts = test.domain == "transcripts";
  return input;
}

}  // namespace tyto::sail_on
