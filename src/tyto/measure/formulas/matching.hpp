// SPDX-License-Identifier: Apache-2.0
// Predicted groups matched with actual classes, one to one, so that as many samples as possible
// are right: what discovered groups are worth once someone names them.
#pragma once

#include <optional>
#include <vector>

#include "tyto/measure/formulas/confusion.hpp"

namespace tyto {

struct Matching {
  std::vector<Index> class_of;  // by label, seen as a predicted group; -1: matched with no class
  Confusion::Count right = 0;   // samples whose group is matched with their class
  Confusion::Count total = 0;

  [[nodiscard]] std::optional<double> accuracy() const;  // missing if there are no samples
};

// `unknown` is a group like any other. Classes without samples and names that were never predicted
// take no part.
Matching match_groups(const Confusion& matrix);

}  // namespace tyto
