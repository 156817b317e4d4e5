// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/feedback/by_belief.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "tyto/parts/known_columns.hpp"

namespace tyto {

Needs ByBelief::needs() const {
  Needs needs;
  needs.classifier = true;
  return needs;
}

std::vector<Index> ByBelief::order(const Evidence& batch, Index, Work&) const {
  if (batch.size() == 0) {
    return {};
  }
  const Vector score = certainty(belief(batch));
  std::vector<Index> rows(at(score.size()));
  std::iota(rows.begin(), rows.end(), Index{0});
  std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) { return score[a] < score[b]; });
  return rows;
}

Matrix ByBelief::belief(const Evidence& batch) const {
  return known_part(batch, batch.probability, fmt::format("feedback {}", name_));
}

void ByBelief::drop_unused(Evidence& block) const {
  for (Matrix* unused : {&block.features, &block.logits, &block.embedding, &block.membership}) {
    *unused = Matrix();
  }
}

}  // namespace tyto
