// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/matching.hpp"

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

}  // namespace

std::optional<double> Matching::accuracy() const {
  if (total == 0) {
    return std::nullopt;
  }
  return static_cast<double>(right) / static_cast<double>(total);
}

Matching match_groups(const Confusion& matrix) {
  const Occurring classes(matrix.actual_counts());
  const Occurring groups(matrix.predicted_counts());
  Dense<std::int64_t> cost = Dense<std::int64_t>::Zero(groups.size(), classes.size());
  for (const auto& [cell, count] : matrix.cells()) {
    cost(groups.place[static_cast<std::size_t>(cell.second)],
         classes.place[static_cast<std::size_t>(cell.first)]) = -count;
  }
  Matching made;
  made.total = matrix.total();
  made.class_of.assign(matrix.labels().size(), -1);
  const std::vector<Index> matched = least_cost_pairs(cost);
  for (std::size_t group = 0; group < matched.size(); ++group) {
    if (matched[group] >= 0) {
      made.class_of[static_cast<std::size_t>(groups.labels[group])] =
          classes.labels[static_cast<std::size_t>(matched[group])];
      made.right -= cost(static_cast<Index>(group), matched[group]);
    }
  }
  return made;
}

}  // namespace tyto
