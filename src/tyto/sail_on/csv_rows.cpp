// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/csv_rows.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"

namespace tyto::sail_on {

namespace {

class RowReader {
 public:
  RowReader(std::string_view text, std::string_view name, char quote)
      : text_(text), name_(name), quote_(quote) {}

  // False at the end of the text.
  bool next(CsvRow& row) {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) {
      line_ += text_[at_++] == '\n' ? 1 : 0;
    }
    if (at_ >= text_.size()) {
      return false;
    }
    row = {line_, {}};
    while (true) {
      row.fields.push_back(field());
      if (at_ >= text_.size() || text_[at_] != ',') {
        return true;
      }
      ++at_;
    }
  }

 private:
  std::string field() {
    std::string out;
    bool quoted = at_ < text_.size() && text_[at_] == quote_;
    at_ += quoted ? 1 : 0;
    const Index begun = line_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (quoted && c == quote_) {
        ++at_;
        if (at_ < text_.size() && text_[at_] == quote_) {
          out += text_[at_++];
          continue;
        }
        quoted = false;  // what follows up to the comma belongs to the field
        continue;
      }
      if (!quoted && (c == ',' || c == '\n' || (c == '\r' && ends_line()))) {
        return out;
      }
      line_ += c == '\n' ? 1 : 0;
      out += c;
      ++at_;
    }
    if (quoted) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: line {}: a quote is never closed", name_, begun));
    }
    return out;
  }

  [[nodiscard]] bool ends_line() const { return at_ + 1 >= text_.size() || text_[at_ + 1] == '\n'; }

  std::string_view text_, name_;
  char quote_;
  std::size_t at_ = 0;
  Index line_ = 1;
};

}  // namespace

std::vector<CsvRow> csv_rows(std::string_view text, std::string_view name, char quote) {
  RowReader reader(text, name, quote);
  std::vector<CsvRow> rows;
  for (CsvRow row; reader.next(row);) {
    rows.push_back(std::move(row));
  }
  return rows;
}

double number_at(const CsvRow& row, Index column, std::string_view name) {
  const auto refuse = [&](const std::string& what) {
    return Error(ErrorKind::data,
                 fmt::format("{}: line {}, column {}: {}", name, row.line, column + 1, what));
  };
  if (column >= std::ssize(row.fields)) {
    throw refuse(fmt::format("the row ends after {}", row.fields.size()));
  }
  const std::string& text = row.fields[at(column)];
  if (text.find_first_not_of(" \t") == text.npos) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const auto number = number_in<double>(text);
  if (!number) {
    throw refuse(fmt::format("\"{}\" is not a number", text));
  }
  return *number;
}

}  // namespace tyto::sail_on
