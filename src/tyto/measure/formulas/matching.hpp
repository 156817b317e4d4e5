// SPDX-License-Identifier: Apache-2.0
// Predicted groups matched with actual classes, one to one, so that as many samples as possible
// are right: what discovered groups are worth once someone names them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tyto/measure/formulas/confusion.hpp"

namespace tyto {

struct Matching {
  std::vector<Index> class_of;  // by label, seen as a predicted group; -1: matched with no class
  Confusion::Count right = 0;   // samples whose group is matched with their class
  Confusion::Count total = 0;

  [[nodiscard]] std::optional<double> accuracy() const;  // missing if there are no samples
};

// What became of a class among the groups.
struct GroupedClass {
  std::string name;
  Confusion::Count support = 0, right = 0;  // samples, and those in the group matched with it
  std::string group;                        // that group, "": none
  // Samples in groups most of whose samples are of one class larger than this, and the name of the
  // one that took most of them; ties to the first by name.
  Confusion::Count swallowed = 0;
  std::string swallowed_by;
};

// The classes that have samples, by name, with the matching of the same matrix.
std::vector<GroupedClass> grouped_classes(const Confusion& matrix, const Matching& matching);

// A row per class that has samples, by name, and the groups as columns in the order of the classes
// they are matched with, those without a class last, by name.
struct AlignedConfusion {
  std::vector<std::string> classes, groups;
  Index matched = 0;  // columns that have a class: column i that of row_of[i]
  std::vector<Index> row_of;
  Dense<Confusion::Count> counts;

  [[nodiscard]] std::string to_csv() const;  // actual, then a column per group
};

AlignedConfusion aligned_confusion(const Confusion& matrix);

// `unknown` is a group like any other. Classes without samples and names that were never predicted
// take no part.
Matching match_groups(const Confusion& matrix);

}  // namespace tyto
