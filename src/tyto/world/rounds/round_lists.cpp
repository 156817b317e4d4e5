// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/round_lists.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/world/increments/series.hpp"

namespace tyto {

namespace {

using RowsById = std::map<std::string, Index, std::less<>>;

RowsById rows_by_id(const IndexTable& table) {
  RowsById rows;
  for (Index row = 0; row < table.size(); ++row) {
    rows.emplace(table.id[at(row)], row);
  }
  return rows;
}

Index row_of(const RowsById& rows, const CsvTable& csv, Index line, Index column,
             const std::string& dataset) {
  const auto found = rows.find(csv.text(line, column));
  if (found == rows.end()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: \"{}\" has no sample \"{}\"", csv.place(line, column), dataset,
                            csv.text(line, column)));
  }
  return found->second;
}

// Classes by number, from 0 without a gap.
std::vector<std::string> classes_in(const CsvTable& csv) {
  const Index label = csv.column("label");
  const Index number = csv.column("class");
  const std::vector<Index> numbers = csv.counts(number);
  std::map<Index, std::string> names;
  for (Index line = 0; line < csv.rows(); ++line) {
    const std::string name(csv.text(line, label));
    if (const auto [known, fresh] = names.emplace(numbers[at(line)], name);
        !fresh && known->second != name) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: class {} is \"{}\" here and \"{}\" before",
                              csv.place(line, number), known->first, name, known->second));
    }
  }
  std::vector<std::string> classes;
  for (const auto& [place, name] : names) {
    if (place != std::ssize(classes)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the classes are numbered from 0 without a gap, and there is no "
                              "class {}",
                              csv.name(), classes.size()));
    }
    classes.push_back(name);
  }
  return classes;
}

void read_train(const std::filesystem::path& file, const Dataset& data, const RowsById& rows,
                RoundLists& lists) {
  const CsvTable csv = CsvTable::load(file);
  const Index id = csv.column("id");
  lists.classes = classes_in(csv);
  lists.train_label = csv.texts(csv.column("label"));
  for (Index line = 0; line < csv.rows(); ++line) {
    lists.train.push_back(row_of(rows, csv, line, id, data.name));
  }
}

// The train split of the first `rows`; every labelled one where they have no splits.
void take_own_train(const Dataset& data, Index rows, RoundLists& lists) {
  const IndexTable& table = data.table;
  const bool has_splits =
      !table.split.empty() && std::any_of(table.split.begin(), table.split.begin() + rows,
                                          [](const std::string& split) { return !split.empty(); });
  std::set<std::string> classes;
  for (Index row = 0; row < rows; ++row) {
    const bool trains = !has_splits || table.split[at(row)] == "train";
    if (trains && !table.label[at(row)].empty()) {
      lists.train.push_back(row);
      lists.train_label.push_back(table.label[at(row)]);
      classes.insert(table.label[at(row)]);
    }
  }
  lists.classes.assign(classes.begin(), classes.end());
}

void read_samples(const std::filesystem::path& file, const Dataset& data, const RowsById& rows,
                  RoundLists& lists) {
  const CsvTable csv = CsvTable::load(file);
  const Index id = csv.column("id");
  const Index sample = csv.column("sample");
  std::set<std::string> seen;
  for (Index line = 0; line < csv.rows(); ++line) {
    std::string name(csv.text(line, id));
    if (!seen.insert(name).second) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: \"{}\" stands there twice", csv.place(line, id), name));
    }
    // A dataset made for the tests has samples under the names they bear there.
    lists.row.push_back(row_of(rows, csv, line, rows.contains(name) ? id : sample, data.name));
    lists.name.push_back(std::move(name));
  }
}

void check_train(const std::string& dataset, const RoundLists& lists) {
  if (lists.train.empty()) {
    throw Error(ErrorKind::data, fmt::format("\"{}\" has no sample to learn from", dataset));
  }
}

// Copies of the features of `source` with the altered rows behind them.
void append_altered(Dataset& data, const MadeTests& made) {
  const Index own = data.table.size();
  std::vector<Index> all(at(data.store->rows()));
  std::iota(all.begin(), all.end(), Index{0});
  Matrix features(data.store->rows() + made.altered.rows(), made.altered.cols());
  data.store->gather(made.source, all, features.topRows(data.store->rows()));
  features.bottomRows(made.altered.rows()) = made.altered;
  data.store = std::make_shared<const DenseStore>(std::vector<DenseStore::Source>{
      {made.source, std::move(features), data.store->column_names(made.source)}});
  IndexTable& table = data.table;
  const auto repeat = [&](auto& column, Index row) {
    if (!column.empty()) {
      column.push_back(column[at(row)]);
    }
  };
  for (const MadeSample& sample : made.samples) {
    if (sample.altered == 0) {
      continue;
    }
    TYTO_ASSERT(table.size() == own + sample.altered - 1);
    table.id.push_back(sample.id);
    for (std::vector<std::string>* column :
         {&table.label, &table.split, &table.source, &table.group}) {
      repeat(*column, sample.row);
    }
    for (std::vector<double>* column : {&table.time, &table.start, &table.end}) {
      repeat(*column, sample.row);
    }
    repeat(table.frames, sample.row);
    for (auto& [name, values] : table.annotations) {
      repeat(values, sample.row);
    }
  }
}

}  // namespace

JoinedTests join_made(Dataset data, const MadeTests& made) {
  JoinedTests joined;
  const Index own = data.table.size();
  joined.lists.classes = made.classes;
  joined.lists.train = made.train;
  for (const Index row : made.train) {
    joined.lists.train_label.push_back(data.table.label[at(row)]);
  }
  for (const MadeSample& sample : made.samples) {
    joined.lists.name.push_back(sample.id);
    joined.lists.row.push_back(sample.altered == 0 ? sample.row : own + sample.altered - 1);
  }
  if (made.altered.rows() > 0) {
    append_altered(data, made);
  }
  joined.data = std::move(data);
  return joined;
}

JoinedTests join_listed(Dataset data, const std::filesystem::path& folder,
                        const std::vector<std::string>& classes) {
  JoinedTests joined;
  const RowsById rows = rows_by_id(data.table);
  const auto has = [&](const char* name) {
    return !folder.empty() && std::filesystem::exists(folder / name);
  };
  if (!classes.empty()) {
    joined.lists.classes = classes;
  } else if (has("train.csv")) {
    read_train(folder / "train.csv", data, rows, joined.lists);
  } else {
    take_own_train(data, data.table.size(), joined.lists);
  }
  if (classes.empty()) {
    check_train(data.name, joined.lists);
  }
  if (has("samples.csv")) {
    read_samples(folder / "samples.csv", data, rows, joined.lists);
  } else {
    joined.lists.name = data.table.id;
    joined.lists.row.resize(at(data.table.size()));
    std::iota(joined.lists.row.begin(), joined.lists.row.end(), Index{0});
  }
  joined.data = std::move(data);
  return joined;
}

std::vector<std::string> listed_classes(const std::filesystem::path& folder) {
  return classes_in(CsvTable::load(folder / "train.csv"));
}

JoinedTests join_apart(Dataset train, Dataset tests) {
  const Index rows = train.table.size();
  const std::string name = train.name;
  JoinedTests joined;
  joined.lists.name = tests.table.id;
  joined.lists.row.resize(at(tests.table.size()));
  std::iota(joined.lists.row.begin(), joined.lists.row.end(), rows);
  std::vector<Dataset> both;
  both.push_back(std::move(train));
  both.push_back(std::move(tests));
  joined.data = join_series(std::move(both)).joined;
  take_own_train(joined.data, rows, joined.lists);
  check_train(name, joined.lists);
  return joined;
}

}  // namespace tyto
