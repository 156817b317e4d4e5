// SPDX-License-Identifier: Apache-2.0
// Names for names, read from two columns of a CSV file: a class and what others call it, a sample
// and the class somebody gave it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tyto {

class NameTable {
 public:
  // Throws Error(data) with file, line and value where a cell is empty.
  static NameTable load(const std::string& file, std::string_view from, std::string_view to);

  // In the order of the file, each once; none: the name is not there.
  [[nodiscard]] const std::vector<std::string>& find(std::string_view name) const;

  [[nodiscard]] const std::string& file() const { return file_; }

  [[nodiscard]] const std::map<std::string, std::vector<std::string>, std::less<>>& all() const {
    return names_;
  }

  // Of what it holds: a run that goes on must find the same table.
  [[nodiscard]] std::string content_digest() const;

 private:
  std::string file_;
  std::map<std::string, std::vector<std::string>, std::less<>> names_;
};

}  // namespace tyto
