// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/feedback/name_table.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {

NameTable NameTable::load(const std::string& file, std::string_view from, std::string_view to) {
  const CsvTable csv = CsvTable::load(file);
  const Index key = csv.column(from);
  const Index value = csv.column(to);
  NameTable table;
  table.file_ = file;
  for (Index row = 0; row < csv.rows(); ++row) {
    for (const Index column : {key, value}) {
      if (csv.text(row, column).empty()) {
        throw Error(ErrorKind::data, fmt::format("{}: is empty; a row needs a {} and a {}",
                                                 csv.place(row, column), from, to));
      }
    }
    auto& names = table.names_[std::string(csv.text(row, key))];
    const std::string name(csv.text(row, value));
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return table;
}

const std::vector<std::string>& NameTable::find(std::string_view name) const {
  static const std::vector<std::string> none;
  const auto found = names_.find(name);
  return found == names_.end() ? none : found->second;
}

std::string NameTable::content_digest() const {
  std::string text;
  for (const auto& [name, others] : names_) {
    text += fmt::format("{}:{}", name.size(), name);
    for (const std::string& other : others) {
      text += fmt::format("={}:{}", other.size(), other);
    }
  }
  return digest(std::as_bytes(std::span(text)));
}

}  // namespace tyto
