// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/actual_classes.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/data/described_table.hpp"

namespace tyto {

namespace {

struct NamedClasses {
  std::vector<std::string> id;  // empty: by number alone
  std::vector<std::string> label;
};

Index class_column(const CsvTable& table, const std::string& asked) {
  if (!asked.empty()) {
    return table.column(asked);
  }
  if (const auto found = usual_label_column(table)) {
    return *found;
  }
  throw Error(ErrorKind::data,
              fmt::format("{}: no column is called as classes are (label, class, target, ...); "
                          "--true names it; there are: {}",
                          table.name(), fmt::join(table.columns(), ", ")));
}

// The first column in which every wanted name stands.
std::vector<std::string> names_in(const CsvTable& table, const std::vector<std::string>& wanted,
                                  Index classes) {
  for (Index c = 0; c < std::ssize(table.columns()); ++c) {
    if (c == classes) {
      continue;
    }
    std::vector<std::string> texts = table.texts(c);
    std::vector<std::string> sorted = texts;
    std::sort(sorted.begin(), sorted.end());
    if (std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
          return std::binary_search(sorted.begin(), sorted.end(), name);
        })) {
      return texts;
    }
  }
  throw Error(ErrorKind::data,
              fmt::format("{}: no column holds the names of all samples that were predicted, "
                          "\"{}\" among them",
                          table.name(), wanted.front()));
}

NamedClasses read_classes(const ActualClasses& classes, const std::vector<std::string>& wanted,
                          bool by_number) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(classes.from, ignored) && is_table(classes.from)) {
    const CsvTable table = CsvTable::load(classes.from);
    const Index column = class_column(table, classes.column);
    return {by_number ? std::vector<std::string>{} : names_in(table, wanted, column),
            table.texts(column)};
  }
  const Dataset dataset = Catalog::standard(std::vector<std::filesystem::path>(
                                                classes.places.begin(), classes.places.end()))
                              .load(classes.from);
  return {dataset.table.id, dataset.table.label};
}

}  // namespace

CsvTable with_actual_classes(const CsvTable& predictions, const std::string& id_column,
                             const ActualClasses& classes, std::vector<std::string>& notes) {
  const Index id = predictions.column(id_column);
  const bool by_number = id_column == "row";
  const std::vector<std::string> wanted = predictions.texts(id);
  if (wanted.empty()) {
    throw Error(ErrorKind::data, fmt::format("{}: has no rows", predictions.name()));
  }
  const NamedClasses known = read_classes(classes, wanted, by_number);
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < known.label.size(); ++i) {
    place.emplace(by_number ? std::to_string(i + 1) : known.id[i], i);
  }
  std::string text;
  for (const std::string& name : predictions.columns()) {
    append_csv_field(text, name);
    text += ',';
  }
  text += std::string(kActualColumn) + "\n";
  Index without = 0;
  for (Index row = 0; row < predictions.rows(); ++row) {
    const auto found = place.find(wanted[at(row)]);
    if (found == place.end()) {
      throw Error(
          ErrorKind::data,
          fmt::format("{}: {} has no such sample",
                      predictions.place(row, id) + " \"" + wanted[at(row)] + "\"", classes.from));
    }
    const std::string& label = known.label[found->second];
    if (label.empty()) {
      ++without;
      continue;
    }
    for (Index c = 0; c < std::ssize(predictions.columns()); ++c) {
      append_csv_field(text, predictions.text(row, c));
      text += ',';
    }
    append_csv_field(text, label);
    text += '\n';
  }
  notes.push_back(fmt::format("actual classes: {}, {}", classes.from,
                              by_number ? "by number of the row" : "by name of the sample"));
  if (without > 0) {
    notes.push_back(fmt::format("{} samples without an actual class are left out", without));
  }
  return CsvTable::parse(std::move(text), predictions.name());
}

}  // namespace tyto
