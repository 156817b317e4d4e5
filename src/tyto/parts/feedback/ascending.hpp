// SPDX-License-Identifier: Apache-2.0
// The order of requesters that score each row by itself.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "tyto/parts/evidence.hpp"

namespace tyto {

// Rows by rising score, ties to the lower row.
inline std::vector<Index> ascending(const Vector& score) {
  std::vector<Index> order(static_cast<std::size_t>(score.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return score[a] < score[b]; });
  return order;
}

// Drops every matrix but the probabilities.
inline void keep_probability(Evidence& block) {
  for (Matrix* unused : {&block.features, &block.logits, &block.embedding, &block.membership}) {
    *unused = Matrix();
  }
}

}  // namespace tyto
