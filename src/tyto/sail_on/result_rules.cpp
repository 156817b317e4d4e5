// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/result_rules.hpp"

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/sail_on/csv_rows.hpp"
#include "tyto/sail_on/names.hpp"
#include "tyto/sail_on/posted_rows.hpp"
#include "tyto/sail_on/refused.hpp"

namespace tyto::sail_on {

namespace {

bool holds_probabilities(std::string_view type) {
  return type == "detection" || type == "classification" || type == "characterization";
}

class RowRules {
 public:
  RowRules(std::string_view type, const std::function<bool(std::string_view)>& is_sample)
      : type_(type), is_sample_(is_sample), probabilities_(holds_probabilities(type)) {}

  void check(const CsvRow& row) {
    line_ = row.line;
    const Fields fields = stripped(row.fields);
    if (fields.size() < 2) {
      refuse("an id alone is no answer");
    }
    if (!is_sample_(fields[0])) {
      refuse(fmt::format("the test has no sample \"{:.80}\"", fields[0]));
    }
    if (probabilities_) {
      check_probabilities(fields);
    } else if (type_ == "labels") {
      check_label(fields);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& rule) const {
    throw Refused(400, "InvalidResults", fmt::format("{}: line {}: {}", type_, line_, rule));
  }

  void check_probabilities(const Fields& fields) {
    width_ = width_ == 0 ? fields.size() : width_;
    if (fields.size() != width_) {
      refuse(fmt::format("{} columns, where the first row has {}", fields.size(), width_));
    }
    for (std::size_t column = 1; column < fields.size(); ++column) {
      const auto value = number_in<double>(fields[column]);
      if (!value || !(*value >= 0 && *value <= 1)) {
        refuse(fmt::format("column {} must be a probability between 0 and 1, not \"{:.40}\"",
                           column + 1, fields[column]));
      }
    }
  }

  void check_label(const Fields& fields) const {
    if (fields.size() != 3) {
      refuse(fmt::format("an id, a flag and a writer are needed, not {} columns", fields.size()));
    }
    if (fields[1] != "0" && fields[1] != "1") {
      refuse(fmt::format("column 2 must be 0 or 1, not \"{:.40}\"", fields[1]));
    }
  }

  std::string_view type_;
  const std::function<bool(std::string_view)>& is_sample_;
  bool probabilities_;
  Index line_ = 0;
  std::size_t width_ = 0;
};

std::vector<CsvRow> rows_of(std::string_view type, std::string_view text) {
  try {
    return csv_rows(text, type);
  } catch (const Error& problem) {
    throw Refused(400, "InvalidResults", problem.what());
  }
}

}  // namespace

void check_results(std::string_view type, std::string_view rows,
                   const std::function<bool(std::string_view)>& is_sample) {
  if (!is_utf8(rows)) {
    throw Refused(400, "InvalidResults", fmt::format("{}: the rows are not UTF-8", type));
  }
  if (!holds_probabilities(type) && type != "labels" && type != "transcription") {
    return;
  }
  const auto table = rows_of(type, rows);
  if (table.empty()) {
    throw Refused(400, "InvalidResults", fmt::format("{}: there are no rows", type));
  }
  RowRules rules(type, is_sample);
  for (const auto& row : table) {
    rules.check(row);
  }
}

}  // namespace tyto::sail_on
