// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/confusion.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

void check_lengths(std::size_t actual, std::size_t predicted) {
  if (actual != predicted) {
    throw Error(ErrorKind::data, fmt::format("{} actual classes cannot be compared with {} "
                                             "predicted ones: there must be one of each a sample",
                                             actual, predicted));
  }
}

// The items summed by cell, sorted. Many items among few cells are counted in a table, O(n +
// cells); else they are sorted.
template <class Item>
Confusion::Cells added_up(Index size, std::size_t n, const Item& item) {
  Confusion::Cells cells;
  const auto side = static_cast<std::size_t>(size);
  if (side * side <= 4 * n) {
    std::vector<Confusion::Count> table(side * side, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const auto& [cell, count] = item(i);
      TYTO_ASSERT(cell.first >= 0 && cell.first < size && cell.second >= 0 && cell.second < size);
      table[static_cast<std::size_t>(cell.first) * side + static_cast<std::size_t>(cell.second)] +=
          count;
    }
    for (std::size_t at = 0; at < table.size(); ++at) {
      if (table[at] != 0) {
        cells.push_back(
            {{static_cast<Index>(at / side), static_cast<Index>(at % side)}, table[at]});
      }
    }
    return cells;
  }
  cells.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    cells.push_back(item(i));
    const auto& cell = cells.back().first;
    TYTO_ASSERT(cell.first >= 0 && cell.first < size && cell.second >= 0 && cell.second < size);
  }
  std::sort(cells.begin(), cells.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].second == 0) {
      continue;
    }
    if (kept > 0 && cells[kept - 1].first == cells[i].first) {
      cells[kept - 1].second += cells[i].second;
    } else {
      cells[kept++] = cells[i];
    }
  }
  cells.resize(kept);
  return cells;
}

auto place_of(const Confusion::Cells& cells, std::pair<Index, Index> cell) {
  return std::lower_bound(cells.begin(), cells.end(), cell,
                          [](const auto& a, const auto& b) { return a.first < b; });
}

}  // namespace

Confusion::Confusion(std::span<const std::string> labels) {
  for (const std::string& label : labels) {
    add_label(label);
  }
}

Confusion Confusion::from(std::span<const std::string> actual,
                          std::span<const std::string> predicted) {
  check_lengths(actual.size(), predicted.size());
  std::vector<std::string> labels;
  std::unordered_map<std::string_view, std::int32_t> places;
  const auto place = [&](const std::string& name) {
    const auto [found, is_new] = places.try_emplace(name, static_cast<std::int32_t>(labels.size()));
    if (is_new) {
      labels.push_back(name);
    }
    return found->second;
  };
  std::vector<std::int32_t> rows(actual.size());
  std::vector<std::int32_t> columns(actual.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    rows[i] = place(actual[i]);
    columns[i] = place(predicted[i]);
  }
  return from(labels, rows, columns);
}

Confusion Confusion::from(std::span<const std::string> labels, std::span<const std::int32_t> actual,
                          std::span<const std::int32_t> predicted) {
  const std::vector<std::string_view> names(labels.begin(), labels.end());
  return from(names, count_pairs(static_cast<Index>(labels.size()), actual, predicted));
}

Confusion Confusion::from(std::span<const std::string_view> labels, const Cells& cells) {
  Confusion made;
  std::vector<Index> places;
  for (const std::string_view label : labels) {
    places.push_back(made.add_label(label));
  }
  const auto here = [&](Index place) { return places.at(static_cast<std::size_t>(place)); };
  made.cells_ = added_up(made.size(), cells.size(), [&](std::size_t i) {
    const auto& [cell, count] = cells[i];
    return std::pair(std::pair(here(cell.first), here(cell.second)), count);
  });
  for (const auto& [cell, count] : made.cells_) {
    made.total_ += count;
  }
  return made;
}

Index Confusion::add_label(std::string_view name) {
  if (const auto found = find(name)) {
    return *found;
  }
  places_.emplace(name, size());
  labels_.emplace_back(name);
  return size() - 1;
}

void Confusion::add(std::string_view actual, std::string_view predicted, Count count) {
  TYTO_ASSERT(count >= 0);
  const Index row = add_label(actual);
  const Index column = add_label(predicted);
  if (count > 0) {
    const auto at = cells_.begin() + (place_of(cells_, {row, column}) - cells_.cbegin());
    if (at != cells_.end() && at->first == std::pair(row, column)) {
      at->second += count;
    } else {
      cells_.insert(at, {{row, column}, count});
    }
    total_ += count;
  }
}

void Confusion::merge(const Confusion& other) {
  std::vector<Index> places(other.labels_.size());
  std::transform(other.labels_.begin(), other.labels_.end(), places.begin(),
                 [&](const std::string& name) { return add_label(name); });
  Cells cells = cells_;
  cells.reserve(cells_.size() + other.cells_.size());
  for (const auto& [cell, count] : other.cells_) {
    cells.push_back({{places[static_cast<std::size_t>(cell.first)],
                      places[static_cast<std::size_t>(cell.second)]},
                     count});
  }
  total_ += other.total_;
  cells_ = added_up(size(), cells.size(), [&](std::size_t i) { return cells[i]; });
}

std::optional<Index> Confusion::find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

Confusion::Count Confusion::count(std::string_view actual, std::string_view predicted) const {
  const auto row = find(actual);
  const auto column = find(predicted);
  if (!row || !column) {
    return 0;
  }
  const auto found = place_of(cells_, {*row, *column});
  return found == cells_.end() || found->first != std::pair(*row, *column) ? 0 : found->second;
}

Confusion::Count Confusion::correct() const {
  Count sum = 0;
  for (const auto& [cell, count] : cells_) {
    sum += cell.first == cell.second ? count : 0;
  }
  return sum;
}

std::vector<Confusion::Count> Confusion::actual_counts() const {
  std::vector<Count> sums(labels_.size(), 0);
  for (const auto& [cell, count] : cells_) {
    sums[static_cast<std::size_t>(cell.first)] += count;
  }
  return sums;
}

std::vector<Confusion::Count> Confusion::predicted_counts() const {
  std::vector<Count> sums(labels_.size(), 0);
  for (const auto& [cell, count] : cells_) {
    sums[static_cast<std::size_t>(cell.second)] += count;
  }
  return sums;
}

Confusion::Cells count_pairs(Index places, std::span<const std::int32_t> actual,
                             std::span<const std::int32_t> predicted) {
  check_lengths(actual.size(), predicted.size());
  return added_up(places, actual.size(), [&](std::size_t i) {
    return std::pair(std::pair(Index{actual[i]}, Index{predicted[i]}), Confusion::Count{1});
  });
}

}  // namespace tyto
