// SPDX-License-Identifier: Apache-2.0
// Confusion matrices by rank: how often each class got each name as its first, second, ... answer.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/state.hpp"
#include "tyto/measure/phase_view.hpp"

namespace tyto {

// Slice r counts (actual, entry of rank r), r from 0; all slices share one list of labels. Slice 0
// is the ordinary matrix; the diagonals of the first k add up to the hits of top-k accuracy. A
// sample without an entry of that rank is not in its slice.
struct OrderedConfusion {
  std::vector<Confusion> slices;

  [[nodiscard]] Index ranks() const { return static_cast<Index>(slices.size()); }

  [[nodiscard]] const std::vector<std::string>& labels() const;

  // Adds counts of equal names; names only `other` has are appended in its order. Ranks that only
  // one has are dropped, unless this one is empty.
  void merge(const OrderedConfusion& other);

  // Only cells that were hit: `labels`, and for each cell `rank` (from 1), `actual`, `predicted`
  // (places in `labels`, from 0) and `count`.
  void save(State& state) const;
  static OrderedConfusion loaded(const State& state);

  [[nodiscard]] std::string to_csv() const;  // rank,actual,predicted,count: names, rank from 1
};

OrderedConfusion ordered_confusion(const PhaseView& view);

}  // namespace tyto
