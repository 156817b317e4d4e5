// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/series.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/sample/stores/joined_store.hpp"

namespace tyto {

namespace {

template <class T>
using Column = std::vector<T>;

void check_columns(const Dataset& dataset) {
  const IndexTable& table = dataset.table;
  const auto check = [&](std::size_t size, std::string_view column) {
    if (size != 0 && size != table.id.size()) {
      throw Error(ErrorKind::data, fmt::format("dataset \"{}\" has {} rows but {} in column \"{}\"",
                                               dataset.name, table.id.size(), size, column));
    }
  };
  if (table.label.size() != table.id.size()) {
    throw Error(ErrorKind::data, fmt::format("dataset \"{}\" has {} rows but {} labels",
                                             dataset.name, table.id.size(), table.label.size()));
  }
  check(table.split.size(), "split");
  check(table.source.size(), "source");
  check(table.group.size(), "group");
  check(table.time.size(), "time");
  check(table.start.size(), "start");
  check(table.end.size(), "end");
  check(table.frames.size(), "frames");
  for (const auto& [name, values] : table.annotations) {
    check(values.size(), name);
  }
}

Index store_rows(const IndexTable& table) {
  return table.frames.empty() ? table.size()
                              : std::accumulate(table.frames.begin(), table.frames.end(), Index{0});
}

void check_store(const Dataset& dataset) {
  if (dataset.store && dataset.store->rows() != store_rows(dataset.table)) {
    throw Error(ErrorKind::data,
                fmt::format("the table of \"{}\" speaks of {} feature rows, its store has {}",
                            dataset.name, store_rows(dataset.table), dataset.store->rows()));
  }
}

class Joiner {
 public:
  explicit Joiner(const std::vector<Dataset>& datasets) : datasets_(datasets) {}

  template <class T>
  Column<T> column(Column<T> IndexTable::*member, const T& missing) const {
    return gather<T>([&](const IndexTable& table) { return &(table.*member); }, missing);
  }

  [[nodiscard]] Column<double> times(Column<double> IndexTable::*member) const {
    for (const Dataset& dataset : datasets_) {
      if ((dataset.table.*member).empty()) {
        return {};
      }
    }
    return column(member, 0.0);
  }

  [[nodiscard]] Column<std::string> annotation(const std::string& name) const {
    return gather<std::string>(
        [&](const IndexTable& table) {
          const auto found = table.annotations.find(name);
          return found == table.annotations.end() ? nullptr : &found->second;
        },
        "");
  }

 private:
  template <class T, class Find>
  Column<T> gather(const Find& find, const T& missing) const {
    Column<T> all;
    bool any = false;
    for (const Dataset& dataset : datasets_) {
      const Column<T>* values = find(dataset.table);
      const bool has = values != nullptr && !values->empty();
      any = any || has;
      if (has) {
        all.insert(all.end(), values->begin(), values->end());
      } else {
        all.resize(all.size() + dataset.table.id.size(), missing);
      }
    }
    return any ? all : Column<T>{};
  }

  const std::vector<Dataset>& datasets_;
};

IndexTable joined_table(const std::vector<Dataset>& datasets) {
  const Joiner joiner(datasets);
  IndexTable table;
  table.id = joiner.column(&IndexTable::id, std::string());
  table.label = joiner.column(&IndexTable::label, std::string());
  table.split = joiner.column(&IndexTable::split, std::string());
  table.source = joiner.column(&IndexTable::source, std::string());
  table.group = joiner.column(&IndexTable::group, std::string());
  table.frames = joiner.column(&IndexTable::frames, Index{1});
  table.time = joiner.times(&IndexTable::time);
  table.start = joiner.times(&IndexTable::start);
  table.end = joiner.times(&IndexTable::end);
  std::set<std::string> names;
  for (const Dataset& dataset : datasets) {
    for (const auto& [name, values] : dataset.table.annotations) {
      names.insert(name);
    }
  }
  for (const std::string& name : names) {
    table.annotations[name] = joiner.annotation(name);
  }
  std::vector<std::string> origin;
  for (const Dataset& dataset : datasets) {
    origin.resize(origin.size() + dataset.table.id.size(), dataset.name);
  }
  table.annotations["dataset"] = std::move(origin);
  return table;
}

}  // namespace

Series join_series(std::vector<Dataset> datasets, std::shared_ptr<const FeatureStore> store) {
  if (datasets.empty()) {
    throw Error(ErrorKind::config, "a world of increments needs at least one dataset, none given");
  }
  Series series;
  series.first_row_of.push_back(0);
  for (const Dataset& dataset : datasets) {
    check_columns(dataset);
    check_store(dataset);
    series.names.push_back(dataset.name);
    series.first_row_of.push_back(series.first_row_of.back() + dataset.table.size());
  }
  if (datasets.size() == 1) {
    series.joined = std::move(datasets.front());
    if (store) {
      series.joined.store = std::move(store);
    }
  } else {
    series.joined.name = fmt::format("{} datasets", datasets.size());
    series.joined.table = joined_table(datasets);
    if (!store && std::all_of(datasets.begin(), datasets.end(),
                              [](const Dataset& dataset) { return dataset.store != nullptr; })) {
      std::vector<StorePiece> pieces;
      for (const Dataset& dataset : datasets) {
        pieces.push_back({dataset.name, dataset.store});
      }
      store = std::make_shared<const JoinedStore>(std::move(pieces));
    }
    series.joined.store = std::move(store);
  }
  check_store(series.joined);
  return series;
}

}  // namespace tyto
