// SPDX-License-Identifier: Apache-2.0
// Records of a CSV text (RFC 4180) as they arrive: a file or a pipe of any length in constant
// memory; semicolons or tabs may part the cells (separator.hpp). Where the whole table is wanted,
// see CsvTable.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

class CsvStream {
 public:
  struct Record {
    Index line = 0;  // of the text, from 1
    std::vector<std::string> cells;
  };

  // Puts the next bytes of the text, at most so many; 0 at its end.
  using ReadSome = std::function<std::size_t(char* to, std::size_t most)>;

  // `name` is for messages.
  CsvStream(ReadSome read, std::string name) : read_(std::move(read)), name_(std::move(name)) {}

  // Borrows the open file.
  CsvStream(int file, std::string name);

  [[nodiscard]] const std::string& name() const { return name_; }

  // The next records, at most `most`; none at the end. Waits for one to be complete, and with
  // `wait` for all of them; otherwise what has arrived is returned. Blank lines are skipped. Throws
  // Error(data) naming the line of a quote that is misplaced or never closed.
  std::vector<Record> read(Index most, bool wait);

 private:
  bool fill();                                  // false: the text has ended
  bool find_end();                              // moves scanned_ behind the next record
  [[nodiscard]] Record parse(std::size_t end);  // of the record that ends there

  ReadSome read_;
  std::string name_, buffer_;
  std::size_t begin_ = 0, scanned_ = 0;  // of the record; up to where its end was looked for
  bool quoted_ = false, ended_ = false, started_ = false;
  char separator_ = '\0';  // as the first record tells it: comma, semicolon or tab
  Index line_ = 1;
};

}  // namespace tyto
