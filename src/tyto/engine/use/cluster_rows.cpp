// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/cluster_rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/csv/separator.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/named.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/data/described_table.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {

namespace {

constexpr std::string_view kByteOrder = "\xEF\xBB\xBF";  // a mark some programs begin with

struct ReadRows {
  Matrix rows;
  std::vector<std::string> labels;  // of a column
  std::vector<std::string> id = {};
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::vector<std::string> cells_of(std::string_view line) {
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  std::vector<std::string> out;
  for (std::string_view cell : split(line, ',')) {
    if (cell.size() >= 2 && cell.starts_with('"') && cell.ends_with('"')) {
      cell = cell.substr(1, cell.size() - 2);  // a number in quotes is one still
    }
    out.emplace_back(cell);
  }
  return out;
}

// The first that is not blank.
FirstLine first_line(std::string_view text, std::string_view name,
                     std::vector<std::string>& cells) {
  Index line = 1;
  for (const std::string_view whole : split(text, '\n')) {
    cells = cells_of(whole);
    if (cells.size() > 1 || !cells.front().empty()) {
      break;
    }
    ++line;
  }
  return {name, line, cells};
}

Matrix whole(const FeatureStore& store, std::string_view source) {
  const std::vector<Index> shape = store.shape(source);
  std::vector<Index> all(static_cast<std::size_t>(store.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  Matrix out(store.rows(),
             std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>()));
  store.gather(source, all, out);
  return out;
}

void expect_no_labels_column(const ClusterInput& input) {
  if (input.labels.empty() && !input.labels_column.empty()) {
    throw Error(
        ErrorKind::config,
        fmt::format(
            "{} has no column names, so that none holds labels; they must come from a file of "
            "their own",
            input.features));
  }
}

void expect_columns_of_a_table(const ClusterInput& input) {
  if (!input.id_column.empty() || !input.ignore.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("{} is a dataset, which says itself what its columns are: --id-column "
                            "and --ignore are for tables",
                            input.features));
  }
}

void expect_no_named_columns(const ClusterInput& input) {
  expect_no_labels_column(input);
  if (!input.id_column.empty() || !input.ignore.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("{} has no column names, so that --id-column and --ignore name none",
                            input.features));
  }
}

// The first line is numbers already, so that every line must be.
Matrix numbers_without_names(const std::string& text, const std::string& name) {
  std::vector<float> values;
  std::size_t width = 0;
  Index rows = 0;
  Index line_number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++line_number;
    if (line.empty() || line == "\r") {
      continue;
    }
    const auto cells = cells_of(line);
    if (rows++ == 0) {
      width = cells.size();
    } else if (cells.size() != width) {
      throw Error(ErrorKind::data, fmt::format("{}: line {}: {} numbers, but line 1 has {}", name,
                                               line_number, cells.size(), width));
    }
    for (std::size_t column = 0; column < width; ++column) {
      const auto value = number_in<double>(cells[column]);
      if (!value) {
        throw Error(ErrorKind::data, fmt::format("{}: line {}, column {}: \"{}\" is not a number",
                                                 name, line_number, column + 1, cells[column]));
      }
      values.push_back(static_cast<float>(*value));
    }
  }
  return Eigen::Map<const Matrix>(values.data(), rows, static_cast<Index>(width));
}

ReadRows from_csv(const ClusterInput& input) {
  std::string text = read_maybe_gz(input.features);
  if (text.starts_with(kByteOrder)) {
    text.erase(0, kByteOrder.size());
  }
  text = with_commas(std::move(text));
  std::vector<std::string> known = input.ignore;
  if (!input.id_column.empty()) {
    known.push_back(input.id_column);
  }
  if (input.labels.empty() && !input.labels_column.empty()) {
    known.push_back(input.labels_column);
  }
  std::vector<std::string> cells;
  if (!names_columns(first_line(text, input.features, cells), known)) {
    expect_no_named_columns(input);
    return {numbers_without_names(text, input.features), {}};
  }
  const CsvTable table = CsvTable::parse(std::move(text), input.features);
  std::vector<Index> columns(table.columns().size());
  std::iota(columns.begin(), columns.end(), Index{0});
  ReadRows out;
  if (input.labels.empty() && !input.labels_column.empty()) {
    const Index label = table.column(input.labels_column);
    out.labels = table.texts(label);
    std::erase(columns, label);
  }
  if (!input.id_column.empty()) {
    const Index id = table.column(input.id_column);
    out.id = table.texts(id);
    std::erase(columns, id);
  }
  for (const std::string& name : input.ignore) {
    std::erase(columns, table.column(name));
  }
  try {
    out.rows = table.matrix(columns);
  } catch (const Error& problem) {
    throw Error(
        problem.kind(),
        fmt::format("{}; --id-column, --labels-column and --ignore name columns that are no "
                    "features",
                    problem.what()));
  }
  return out;
}

ReadRows from_dataset(const ClusterInput& input) {
  const Dataset dataset = Catalog::standard(input.places).load(input.features);
  if (!dataset.table.frames.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: its samples have several frames each; cluster needs one row per "
                            "sample",
                            dataset.name));
  }
  expect_columns_of_a_table(input);
  ReadRows out{whole(*dataset.store, input.source), {}, dataset.table.id};
  if (input.labels.empty() && !input.labels_column.empty()) {
    std::vector<std::string> names{"label"};
    for (const auto& [name, values] : dataset.table.annotations) {
      names.push_back(name);
    }
    if (std::find(names.begin(), names.end(), input.labels_column) == names.end()) {
      throw unknown_name("column of " + dataset.name, input.labels_column, names);
    }
    out.labels = input.labels_column == "label" ? dataset.table.label
                                                : dataset.table.annotations.at(input.labels_column);
  }
  return out;
}

ReadRows read_rows(const ClusterInput& input) {
  const std::string& name = input.features;
  if (name.ends_with(".npy")) {
    expect_no_named_columns(input);
    const auto store = open_npy(name);
    return {whole(*store, "features"), {}};
  }
  return is_table(name) ? from_csv(input) : from_dataset(input);
}

// One label a line, the first perhaps a heading; a blank line is a row without.
std::vector<std::string> label_lines(const std::filesystem::path& path, Index rows) {
  const std::string text = read_maybe_gz(path);
  std::vector<std::string> out;
  for (std::string_view line : split(text, '\n')) {
    out.emplace_back(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
  }
  if (text.empty() || text.ends_with('\n')) {
    out.pop_back();
  }
  if (std::ssize(out) == rows + 1) {
    out.erase(out.begin());
  }
  return out;
}

void expect_finite_rows(const Matrix& rows, const std::string& name) {
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      if (!std::isfinite(rows(i, j))) {
        throw Error(ErrorKind::data, fmt::format("{}: row {}, column {} (from 1): {} is not a "
                                                 "finite number",
                                                 name, i + 1, j + 1, rows(i, j)));
      }
    }
  }
}

}  // namespace

ClusterRows read_cluster_rows(const ClusterInput& input) {
  ReadRows read = read_rows(input);
  if (read.rows.size() == 0) {
    throw Error(ErrorKind::data, fmt::format("{}: holds no numbers to cluster", input.features));
  }
  expect_finite_rows(read.rows, input.features);
  if (!input.labels.empty()) {
    if (input.labels_column.empty()) {
      read.labels = label_lines(input.labels, read.rows.rows());
    } else {
      const CsvTable table = CsvTable::load(input.labels);
      read.labels = table.texts(table.column(input.labels_column));
    }
    if (std::ssize(read.labels) != read.rows.rows()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: {} labels for the {} rows of {}", input.labels.string(),
                              read.labels.size(), read.rows.rows(), input.features));
    }
  }
  ClusterRows out;
  out.rows = std::move(read.rows);
  out.id = std::move(read.id);
  std::map<std::string, std::int32_t> classes;
  for (const std::string& label : read.labels) {
    out.labels.push_back(
        label.empty()
            ? -1
            : classes.emplace(label, static_cast<std::int32_t>(classes.size())).first->second);
  }
  out.classes = classes.size();
  return out;
}

}  // namespace tyto
