// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/matching.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "tyto/core/csv/csv_text.hpp"
#include "tyto/math/assignment.hpp"

namespace tyto {

namespace {

// The labels that have a count, and by label the place among them.
struct Occurring {
  std::vector<Index> labels, place;

  explicit Occurring(const std::vector<Confusion::Count>& counts) : place(counts.size(), -1) {
    for (std::size_t label = 0; label < counts.size(); ++label) {
      if (counts[label] > 0) {
        place[label] = static_cast<Index>(labels.size());
        labels.push_back(static_cast<Index>(label));
      }
    }
  }

  [[nodiscard]] Index size() const { return static_cast<Index>(labels.size()); }
};

// A cell per group and class: with many of both, most of the time goes into memory.
template <class Cell>
Matching matched_by(const Confusion& matrix,
                    std::vector<Index> (*least_cost)(const Dense<Cell>& cost)) {
  const Occurring classes(matrix.actual_counts());
  const Occurring groups(matrix.predicted_counts());
  Dense<Cell> cost = Dense<Cell>::Zero(groups.size(), classes.size());
  for (const auto& [cell, count] : matrix.cells()) {
    cost(groups.place[static_cast<std::size_t>(cell.second)],
         classes.place[static_cast<std::size_t>(cell.first)]) = static_cast<Cell>(-count);
  }
  Matching made;
  made.total = matrix.total();
  made.class_of.assign(matrix.labels().size(), -1);
  const std::vector<Index> matched = least_cost(cost);
  for (std::size_t group = 0; group < matched.size(); ++group) {
    if (matched[group] >= 0) {
      made.class_of[static_cast<std::size_t>(groups.labels[group])] =
          classes.labels[static_cast<std::size_t>(matched[group])];
      made.right -= cost(static_cast<Index>(group), matched[group]);
    }
  }
  return made;
}

}  // namespace

std::optional<double> Matching::accuracy() const {
  if (total == 0) {
    return std::nullopt;
  }
  return static_cast<double>(right) / static_cast<double>(total);
}

Matching match_groups(const Confusion& matrix) {
  return matrix.total() <= std::numeric_limits<std::int32_t>::max()
             ? matched_by(matrix, least_cost_pairs_of_small)
             : matched_by(matrix, least_cost_pairs);
}

std::vector<GroupedClass> grouped_classes(const Confusion& matrix, const Matching& matching) {
  const std::vector<Confusion::Count> support = matrix.actual_counts();
  const std::vector<std::string>& labels = matrix.labels();
  // By group: the class most of its samples are of, ties to the larger, then to the first by name.
  std::map<Index, std::pair<Index, Confusion::Count>> majority;
  for (const auto& [cell, count] : matrix.cells()) {
    const auto [found, is_new] = majority.try_emplace(cell.second, cell.first, count);
    auto& [most, most_count] = found->second;
    const auto rank = [&](Index label, Confusion::Count samples) {
      return std::tuple(samples, support[static_cast<std::size_t>(label)]);
    };
    const bool beats =
        rank(cell.first, count) > rank(most, most_count) ||
        (rank(cell.first, count) == rank(most, most_count) &&
         labels[static_cast<std::size_t>(cell.first)] < labels[static_cast<std::size_t>(most)]);
    if (!is_new && beats) {
      found->second = {cell.first, count};
    }
  }
  std::map<std::string, GroupedClass> by_name;
  for (std::size_t label = 0; label < labels.size(); ++label) {
    if (support[label] > 0) {
      GroupedClass& own = by_name[labels[label]];
      own.name = labels[label];
      own.support = support[label];
    }
  }
  std::map<std::pair<std::string, std::string>, Confusion::Count> taken;  // class, by whom
  for (const auto& [cell, count] : matrix.cells()) {
    GroupedClass& own = by_name.at(labels[static_cast<std::size_t>(cell.first)]);
    if (matching.class_of[static_cast<std::size_t>(cell.second)] == cell.first) {
      own.right = count;
      own.group = labels[static_cast<std::size_t>(cell.second)];
    }
    const Index most = majority.at(cell.second).first;
    if (support[static_cast<std::size_t>(most)] > own.support) {
      own.swallowed += count;
      taken[{own.name, labels[static_cast<std::size_t>(most)]}] += count;
    }
  }
  std::vector<GroupedClass> out;
  for (auto& [name, own] : by_name) {
    Confusion::Count most = 0;
    for (auto by = taken.lower_bound({name, ""}); by != taken.end() && by->first.first == name;
         ++by) {
      if (by->second > most) {
        most = by->second;
        own.swallowed_by = by->first.second;
      }
    }
    out.push_back(std::move(own));
  }
  return out;
}

AlignedConfusion aligned_confusion(const Confusion& matrix) {
  const std::vector<Confusion::Count> predicted = matrix.predicted_counts();
  const std::vector<std::string>& labels = matrix.labels();
  AlignedConfusion out;
  std::map<std::string, Index> column;
  std::map<std::string, Index> row;
  for (const GroupedClass& own : grouped_classes(matrix, match_groups(matrix))) {
    row[own.name] = std::ssize(out.classes);
    if (!own.group.empty()) {
      column[own.group] = std::ssize(out.groups);
      out.groups.push_back(own.group);
      out.row_of.push_back(std::ssize(out.classes));
    }
    out.classes.push_back(own.name);
  }
  out.matched = std::ssize(out.groups);
  std::vector<std::string> rest;
  for (std::size_t label = 0; label < labels.size(); ++label) {
    if (predicted[label] > 0 && !column.contains(labels[label])) {
      rest.push_back(labels[label]);
    }
  }
  std::sort(rest.begin(), rest.end());
  for (const std::string& name : rest) {
    column[name] = std::ssize(out.groups);
    out.groups.push_back(name);
  }
  out.counts = Dense<Confusion::Count>::Zero(std::ssize(out.classes), std::ssize(out.groups));
  for (const auto& [cell, count] : matrix.cells()) {
    out.counts(row.at(labels[static_cast<std::size_t>(cell.first)]),
               column.at(labels[static_cast<std::size_t>(cell.second)])) = count;
  }
  return out;
}

std::string AlignedConfusion::to_csv() const {
  std::string out = "actual";
  for (const std::string& group : groups) {
    out += "," + csv_field(group);
  }
  for (std::size_t row = 0; row < classes.size(); ++row) {
    out += "\n" + csv_field(classes[row]);
    for (Index column = 0; column < counts.cols(); ++column) {
      out += "," + std::to_string(counts(static_cast<Index>(row), column));
    }
  }
  return out + "\n";
}

}  // namespace tyto
