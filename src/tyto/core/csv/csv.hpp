// SPDX-License-Identifier: Apache-2.0
// A CSV file in memory (RFC 4180): quotes, line ends inside them, CRLF or LF, UTF-8 with or without
// a mark, .gz; a file may have semicolons or tabs (separator.hpp). The first record names columns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

// One pass over the text; a cell costs 8 bytes besides the text itself, which must stay below 4
// GiB.
class CsvTable {
 public:
  struct Cell {
    std::uint32_t begin, size;  // in the text
  };

  static CsvTable load(const std::filesystem::path& path);
  static CsvTable parse(std::string text, std::string_view name);

  [[nodiscard]] Index rows() const { return static_cast<Index>(lines_.size()); }

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }

  [[nodiscard]] const std::string& name() const { return name_; }  // of the file, for messages

  [[nodiscard]] std::optional<Index> find(std::string_view column) const;
  // Throws Error(data) naming the columns there are and the likeliest spelling.
  [[nodiscard]] Index column(std::string_view column) const;

  [[nodiscard]] std::string_view text(Index row, Index column) const {
    const Index at = row * static_cast<Index>(columns_.size()) + column;
    const Cell cell = cells_[static_cast<std::size_t>(at)];
    return {content_->data() + cell.begin, cell.size};
  }

  [[nodiscard]] std::vector<std::string> texts(Index column) const;

  // Throw Error(data) naming line, column and text of a cell that is not a number; blanks around it
  // are ignored. `numbers` turns an empty cell into NaN, the others refuse it.
  [[nodiscard]] double number(Index row, Index column) const;
  [[nodiscard]] std::vector<double> numbers(Index column) const;
  [[nodiscard]] std::vector<Index> counts(Index column) const;  // whole, not negative
  [[nodiscard]] Matrix matrix(std::span<const Index> columns) const;

  struct BadCell {
    Index row;
    std::string text;  // what `matrix` would have said
  };

  // The same, with NaN for a cell that is refused, and these in the order of the file.
  [[nodiscard]] Matrix matrix(std::span<const Index> columns, std::vector<BadCell>& bad) const;

  [[nodiscard]] Index line(Index row) const { return lines_[static_cast<std::size_t>(row)]; }

  [[nodiscard]] std::string place(Index row, Index column) const;  // `f.csv: line 3, column "x"`

 private:
  [[nodiscard]] float feature(Index row, Index column) const;  // a number that fits in float32

  std::string name_;
  std::shared_ptr<std::string> content_;  // cells point into it, also after a move
  std::vector<std::string> columns_;
  std::vector<Cell> cells_;
  std::vector<Index> lines_;  // of the file, at which a row begins
};

}  // namespace tyto
