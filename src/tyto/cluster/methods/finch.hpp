// SPDX-License-Identifier: Apache-2.0
// FINCH (Sarfraz, Sharma, Stiefelhagen 2019): rows linked by first neighbours, then the means of
// the groups in turn, until nothing is left to link. No parameter decides how many groups there
// are.
#pragma once

#include <limits>
#include <vector>

#include "tyto/cluster/clusterer.hpp"
#include "tyto/cluster/first_links.hpp"

namespace tyto {

struct FinchSettings {
  Metric metric = Metric::cosine;
  bool early_exit = true;  // no later link is longer than the longest of level 0
  LinkWeight weight = LinkWeight::shared;
  bool time_weighted = false;  // rows are in the order of time; there is no early exit then
};

struct FinchLevels {
  std::vector<Grouping> levels;  // finest first, counts strictly falling
  double longest_link = std::numeric_limits<double>::infinity();  // later ones are cut beyond it
};

// `first`: neighbours of the rows where they are known; without their distances there is no early
// exit. `pulse` hears of the rows at hand and how much of them is done. One search for level 0, as
// first_neighbours(), and smaller ones for the means; nothing n x n is stored.
using FinchPulse = std::function<void(Index rows, double done)>;
FinchLevels finch_levels(const MatrixView& rows, const FinchSettings& settings = {},
                         const FirstNeighbours* first = nullptr, const FinchPulse& pulse = {});

// Exactly `count` groups: a level that has them, or the coarsest with more, its closest means
// merged. The finest level where even that has fewer.
Grouping finch_groups(const MatrixView& rows, const FinchSettings& settings,
                      const std::vector<Grouping>& levels, Index count);

}  // namespace tyto
