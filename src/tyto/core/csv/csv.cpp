// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/csv/csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/csv/separator.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/named.hpp"
#include "tyto/core/options.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Index line_at(std::string_view text, std::size_t at) {
  return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
}

// Length of the UTF-8 sequence at `at`, 0 if it is none (overlong and surrogates included).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead >= 0xC2 && lead <= 0xDF) {
    return follows(1) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = lead == 0xED && byte(1) > 0x9F;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && byte(1) < 0x90;
    const bool beyond = lead == 0xF4 && byte(1) > 0x8F;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

void expect_utf8(std::string_view text, std::string_view name) {
  constexpr std::uint64_t kHigh = 0x8080808080808080ULL;
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  std::size_t at = 0;
  while (at < text.size()) {
    if (at + 8 <= text.size()) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + at, 8);
      const std::uint64_t zero = (word - kOnes) & ~word & kHigh;
      if (((word & kHigh) | zero) == 0) {
        at += 8;
        continue;
      }
    }
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == 0) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: line {}: a zero byte; is the file UTF-16 or not text at all? "
                              "UTF-8 is needed",
                              name, line_at(text, at)));
    }
    const std::size_t length = byte < 0x80 ? 1 : sequence_length(text, at);
    if (length == 0) {
      throw Error(ErrorKind::data, fmt::format("{}: line {}: the byte 0x{:02X} is not UTF-8", name,
                                               line_at(text, at), byte));
    }
    at += length;
  }
}

// Which bytes end an unquoted field or break its rules.
constexpr std::array<bool, 256> kSpecial = [] {
  std::array<bool, 256> special{};
  special[','] = special['\n'] = special['\r'] = special['"'] = true;
  return special;
}();

class Scanner {
 public:
  Scanner(std::string& text, std::size_t at, std::string_view name)
      : text_(text.data()), size_(text.size()), at_(at), name_(name) {}

  [[nodiscard]] bool at_end() const { return at_ >= size_; }

  [[nodiscard]] Index line() const { return line_; }

  [[nodiscard]] bool at_blank_line() const {
    return text_[at_] == '\n' || (text_[at_] == '\r' && at_ + 1 < size_ && text_[at_ + 1] == '\n');
  }

  void skip_line() {
    at_ += text_[at_] == '\r' ? 2 : 1;
    ++line_;
  }

  // Appends the fields of the record at the current place.
  void record(std::vector<CsvTable::Cell>& out) {
    column_ = 1;
    while (true) {
      out.push_back(!at_end() && text_[at_] == '"' ? quoted() : plain());
      if (at_end()) {
        return;
      }
      const char c = text_[at_++];
      if (c == '\n') {
        ++line_;
        return;
      }
      if (c == '\r') {
        if (at_end() || text_[at_] != '\n') {
          refuse(line_, "a carriage return without a line feed; end lines with LF or CRLF");
        }
        ++at_;
        ++line_;
        return;
      }
      ++column_;  // after a comma; one at the very end leaves an empty last field
    }
  }

 private:
  [[noreturn]] void refuse(Index line, std::string_view what) const {
    throw Error(ErrorKind::data,
                fmt::format("{}: line {}, column {}: {}", name_, line, column_, what));
  }

  [[nodiscard]] CsvTable::Cell cell(std::size_t begin, std::size_t end) const {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)};
  }

  CsvTable::Cell plain() {
    const std::size_t begin = at_;
    while (at_ < size_ && !kSpecial[static_cast<unsigned char>(text_[at_])]) {
      ++at_;
    }
    if (at_ < size_ && text_[at_] == '"') {
      refuse(line_, fmt::format("a quote inside the unquoted text {}; write the field as "
                                "\"...\" with quotes doubled",
                                std::string_view(text_ + begin, at_ + 1 - begin)));
    }
    return cell(begin, at_);
  }

  CsvTable::Cell quoted() {
    const Index opened = line_;
    const std::size_t begin = ++at_;
    std::size_t end = begin;  // doubled quotes shrink in place
    while (true) {
      if (at_end()) {
        refuse(opened, "the quote that opens here is never closed");
      }
      const char c = text_[at_++];
      if (c == '"') {
        if (at_end() || text_[at_] != '"') {
          break;
        }
        ++at_;
      }
      line_ += c == '\n' ? 1 : 0;
      text_[end++] = c;
    }
    if (!at_end() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r') {
      refuse(line_, fmt::format("\"{}\" follows a closing quote; a comma or the end of the line "
                                "must",
                                text_[at_]));
    }
    return cell(begin, end);
  }

  char* text_;
  std::size_t size_, at_;
  std::string_view name_;
  Index line_ = 1, column_ = 1;
};

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace

CsvTable CsvTable::load(const std::filesystem::path& path) {
  return parse(with_commas(read_maybe_gz(path)), path.string());
}

CsvTable CsvTable::parse(std::string text, std::string_view name) {
  CsvTable table;
  table.name_ = name;
  table.content_ = std::make_shared<std::string>(std::move(text));
  std::string& content = *table.content_;
  if (content.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: {} bytes of text, but a CSV must stay below 4 GiB; put the "
                            "features into a .npy file",
                            name, content.size()));
  }
  expect_utf8(content, name);
  Scanner scanner(content, content.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0, name);
  if (scanner.at_end() || scanner.at_blank_line()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: line 1: the names of the columns are missing", name));
  }
  scanner.record(table.cells_);
  const std::size_t width = table.cells_.size();
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < width; ++i) {
    const std::string_view column(content.data() + table.cells_[i].begin, table.cells_[i].size);
    if (column.empty() || !seen.insert(column).second) {
      throw Error(ErrorKind::data,
                  column.empty()
                      ? fmt::format("{}: line 1: column {} has no name", name, i + 1)
                      : fmt::format("{}: line 1: two columns are called \"{}\"", name, column));
    }
    table.columns_.emplace_back(column);
  }
  table.cells_.clear();
  // Growing step by step would copy the cells several times over.
  const auto lines = static_cast<std::size_t>(std::count(content.begin(), content.end(), '\n'));
  table.lines_.reserve(lines);
  table.cells_.reserve(lines * width);
  while (!scanner.at_end()) {
    if (width > 1 && scanner.at_blank_line()) {  // with one column it is an empty value
      scanner.skip_line();
      continue;
    }
    const std::size_t before = table.cells_.size();
    table.lines_.push_back(scanner.line());
    scanner.record(table.cells_);
    if (table.cells_.size() - before != width) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: line {}: {} fields, but the header names {} columns", name,
                              table.lines_.back(), table.cells_.size() - before, width));
    }
  }
  return table;
}

std::optional<Index> CsvTable::find(std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  return found == columns_.end() ? std::nullopt : std::optional<Index>(found - columns_.begin());
}

Index CsvTable::column(std::string_view column) const {
  if (const auto found = find(column)) {
    return *found;
  }
  throw Error(ErrorKind::data,
              fmt::format("{}: no column is called \"{}\"{}; there are: {}", name_, column,
                          did_you_mean(column, columns_), fmt::join(columns_, ", ")));
}

std::vector<std::string> CsvTable::texts(Index column) const {
  std::vector<std::string> out;
  out.reserve(lines_.size());
  for (Index row = 0; row < rows(); ++row) {
    out.emplace_back(text(row, column));
  }
  return out;
}

std::string CsvTable::place(Index row, Index column) const {
  return fmt::format("{}: line {}, column \"{}\"", name_, line(row),
                     columns_[static_cast<std::size_t>(column)]);
}

double CsvTable::number(Index row, Index column) const {
  const std::string_view cell = trimmed(text(row, column));
  double value = 0;
  const char* begin = cell.data() + (cell.starts_with('+') ? 1 : 0);
  const auto [end, problem] = std::from_chars(begin, cell.data() + cell.size(), value);
  if (cell.empty() || problem != std::errc() || end != cell.data() + cell.size()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: \"{}\" is not a number", place(row, column), text(row, column)));
  }
  return value;
}

std::vector<double> CsvTable::numbers(Index column) const {
  std::vector<double> out;
  out.reserve(lines_.size());
  for (Index row = 0; row < rows(); ++row) {
    out.push_back(trimmed(text(row, column)).empty() ? std::numeric_limits<double>::quiet_NaN()
                                                     : number(row, column));
  }
  return out;
}

std::vector<Index> CsvTable::counts(Index column) const {
  std::vector<Index> out;
  out.reserve(lines_.size());
  for (Index row = 0; row < rows(); ++row) {
    const double value = number(row, column);
    if (!(value >= 0 && value <= 1e15) || value != std::floor(value)) {
      throw Error(ErrorKind::data, fmt::format("{}: \"{}\" is not a count (0, 1, 2, ...)",
                                               place(row, column), text(row, column)));
    }
    out.push_back(static_cast<Index>(value));
  }
  return out;
}

float CsvTable::feature(Index row, Index column) const {
  const double value = number(row, column);
  if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max()) {
    throw Error(ErrorKind::data, fmt::format("{}: {} is too large for float32", place(row, column),
                                             text(row, column)));
  }
  return static_cast<float>(value);
}

Matrix CsvTable::matrix(std::span<const Index> columns) const {
  Matrix out(rows(), static_cast<Index>(columns.size()));
  const auto read = [&](Index row) {
    for (Index j = 0; j < out.cols(); ++j) {
      out(row, j) = feature(row, columns[static_cast<std::size_t>(j)]);
    }
  };
  try {
    for_each_index(rows(), read);
  } catch (const Error&) {  // threads race for the first problem: name the first row's
    for (Index row = 0; row < rows(); ++row) {
      read(row);
    }
    throw;
  }
  return out;
}

Matrix CsvTable::matrix(std::span<const Index> columns, std::vector<BadCell>& bad) const {
  Matrix out(rows(), static_cast<Index>(columns.size()));
  for (Index row = 0; row < rows(); ++row) {
    for (Index j = 0; j < out.cols(); ++j) {
      try {
        out(row, j) = feature(row, columns[static_cast<std::size_t>(j)]);
      } catch (const Error& problem) {
        out(row, j) = std::numeric_limits<float>::quiet_NaN();
        bad.push_back({row, problem.what()});
      }
    }
  }
  return out;
}

}  // namespace tyto
