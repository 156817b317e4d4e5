// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/confusion.hpp"

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
  check_lengths(actual.size(), predicted.size());
  Confusion made(labels);
  TYTO_ASSERT(made.labels_.size() == labels.size());  // no name twice
  std::vector<std::pair<Index, Index>> pairs(actual.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    TYTO_ASSERT(actual[i] >= 0 && actual[i] < made.size());
    TYTO_ASSERT(predicted[i] >= 0 && predicted[i] < made.size());
    pairs[i] = {actual[i], predicted[i]};
  }
  std::sort(pairs.begin(), pairs.end());
  for (auto begin = pairs.begin(); begin != pairs.end();) {
    const auto end = std::upper_bound(begin, pairs.end(), *begin);
    made.cells_.emplace_hint(made.cells_.end(), *begin, end - begin);
    begin = end;
  }
  made.total_ = static_cast<Count>(pairs.size());
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
    cells_[{row, column}] += count;
    total_ += count;
  }
}

void Confusion::merge(const Confusion& other) {
  std::vector<Index> places(other.labels_.size());
  std::transform(other.labels_.begin(), other.labels_.end(), places.begin(),
                 [&](const std::string& name) { return add_label(name); });
  const auto here = [&](Index place) { return places[static_cast<std::size_t>(place)]; };
  const Cells cells = other.cells_;  // `other` may be this matrix
  for (const auto& [cell, count] : cells) {
    cells_[{here(cell.first), here(cell.second)}] += count;
    total_ += count;
  }
}

Confusion Confusion::reduced(std::span<const std::string> names, std::string_view into) const {
  std::vector<bool> is_merged(labels_.size(), false);
  for (const std::string& name : names) {
    if (const auto place = find(name)) {
      is_merged[static_cast<std::size_t>(*place)] = true;
    }
  }
  const auto there = find(into);
  if (there && !is_merged[static_cast<std::size_t>(*there)]) {
    throw Error(
        ErrorKind::data,
        fmt::format("classes cannot be merged into \"{}\": another class has that name", into));
  }
  Confusion made;
  std::vector<Index> places(labels_.size());
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    if (!is_merged[i] || labels_[i] == into) {
      places[i] = made.add_label(labels_[i]);
    }
  }
  const Index merged = made.add_label(into);
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    if (is_merged[i]) {
      places[i] = merged;
    }
  }
  const auto here = [&](Index place) { return places[static_cast<std::size_t>(place)]; };
  for (const auto& [cell, count] : cells_) {
    made.cells_[{here(cell.first), here(cell.second)}] += count;
  }
  made.total_ = total_;
  return made;
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
  const auto found = cells_.find({*row, *column});
  return found == cells_.end() ? 0 : found->second;
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

}  // namespace tyto
