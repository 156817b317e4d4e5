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

// Both sorted, each without a cell twice.
Confusion::Cells summed(const Confusion::Cells& a, const Confusion::Cells& b) {
  Confusion::Cells cells;
  cells.reserve(a.size() + b.size());
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() || right != b.end()) {
    if (right == b.end() || (left != a.end() && left->first < right->first)) {
      cells.push_back(*left++);
    } else if (left == a.end() || right->first < left->first) {
      cells.push_back(*right++);
    } else {
      cells.emplace_back(left->first, left->second + right->second);
      ++left;
      ++right;
    }
  }
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
  Confusion made;
  made.labels_.assign(labels.begin(), labels.end());
  made.cells_ = count_pairs(made.size(), actual, predicted);
  made.total_ = std::ssize(actual);
  return made;
}

Confusion Confusion::from(std::span<const std::string_view> labels, const Cells& cells) {
  Confusion made;
  std::vector<Index> places;
  std::unordered_map<std::string_view, Index> first;
  first.reserve(labels.size());
  for (const std::string_view label : labels) {
    const auto [found, is_new] = first.try_emplace(label, made.size());
    if (is_new) {
      made.labels_.emplace_back(label);
    }
    places.push_back(found->second);
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
  labels_.emplace_back(name);
  if (Places* places = places_.kept()) {
    places->emplace(name, size() - 1);
  }
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
  for (std::size_t i = 0; i < places.size(); ++i) {
    // Increments of a run mostly list the same names in the same order.
    const bool same = i < labels_.size() && labels_[i] == other.labels_[i];
    places[i] = same ? static_cast<Index>(i) : add_label(other.labels_[i]);
  }
  Cells added;
  added.reserve(other.cells_.size());
  for (const auto& [cell, count] : other.cells_) {
    added.push_back({{places[static_cast<std::size_t>(cell.first)],
                      places[static_cast<std::size_t>(cell.second)]},
                     count});
  }
  if (!std::is_sorted(added.begin(), added.end())) {
    std::sort(added.begin(), added.end());
  }
  total_ += other.total_;
  cells_ = summed(cells_, added);
}

std::optional<Index> Confusion::find(std::string_view name) const {
  if (!labels_.empty() && labels_.front() == name) {  // mostly `unknown`, which is asked for most
    return 0;
  }
  const Places& places = places_.get([&] {
    Places made;
    made.reserve(labels_.size());
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      made.emplace(labels_[i], static_cast<Index>(i));
    }
    return made;
  });
  const auto found = places.find(std::string(name));
  return found == places.end() ? std::nullopt : std::optional(found->second);
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
