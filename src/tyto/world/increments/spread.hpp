// SPDX-License-Identifier: Apache-2.0
// One dataset spread over increments, classes as numbers: the core of increments.hpp.
#pragma once

#include <array>
#include <set>
#include <string_view>
#include <vector>

#include "tyto/core/random.hpp"

namespace tyto {

// Rows by split, as kSideNames, ascending.
using SplitRows = std::array<std::vector<Index>, 3>;

struct SpreadRules {
  Index increments = 1;
  bool table = false;      // the schedule `table`, else `text`
  bool seeded = true;      // folds are drawn, else taken in row order
  bool count_all = false;  // frequencies are those in all splits, else in train
  std::string_view introduce = "frequency";
};

struct Drafted {
  std::vector<Index> introduced;  // classes, in order
  SplitRows rows;  // known rows, this increment's novel ones (folded, then small classes), then
                   // those of classes introduced at increments 1, 2, ... before
};

// `classes` is by table row; classes are numbered by name. Novel: not in `known`.
std::vector<Drafted> spread(const SplitRows& rows, Rows classes, const std::set<Index>& known,
                            const SpreadRules& rules, const Rng& rng);

}  // namespace tyto
