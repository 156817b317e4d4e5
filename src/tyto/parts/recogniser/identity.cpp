// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/recogniser/identity.hpp"

#include "tyto/core/error.hpp"
#include "tyto/math/assignment.hpp"

namespace tyto {

Lineage trace_groups(std::span<const std::int32_t> before, Index former,
                     std::span<const std::int32_t> now, Index found) {
  TYTO_ASSERT(before.size() == now.size());
  constexpr Index kShare = 4;  // a quarter
  Dense<std::int64_t> overlap = Dense<std::int64_t>::Zero(former, found);
  std::vector<Index> size(static_cast<std::size_t>(former), 0);
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (before[i] >= 0) {
      ++size[static_cast<std::size_t>(before[i])];
      if (now[i] >= 0) {
        ++overlap(before[i], now[i]);
      }
    }
  }
  const auto many = [](Index n, Index value) {
    return std::vector<Index>(static_cast<std::size_t>(n), value);
  };
  Lineage out{many(found, -1), many(former, -1), many(former, -1), std::move(size),
              many(found, -1), many(found, -1),  many(found, 0),   many(found, 0)};
  if (former == 0 || found == 0) {
    return out;
  }
  for (Index f = 0; f < former; ++f) {
    Index best = 0;
    const std::int64_t most = overlap.row(f).maxCoeff(&best);
    out.shared[static_cast<std::size_t>(f)] = static_cast<Index>(most);
    out.heir[static_cast<std::size_t>(f)] = most > 0 ? best : -1;
  }
  for (Index g = 0; g < found; ++g) {
    Index best = 0;
    const std::int64_t most = overlap.col(g).maxCoeff(&best);
    out.inherited[static_cast<std::size_t>(g)] = static_cast<Index>(most);
    out.source[static_cast<std::size_t>(g)] = most > 0 ? best : -1;
    out.settled[static_cast<std::size_t>(g)] = static_cast<Index>(overlap.col(g).sum());
  }
  const std::vector<Index> pairs = least_cost_pairs(-overlap);
  for (Index f = 0; f < former; ++f) {
    const Index g = pairs[static_cast<std::size_t>(f)];
    if (g >= 0 && overlap(f, g) > 0 &&
        kShare * overlap(f, g) >= out.size[static_cast<std::size_t>(f)]) {
      out.former[static_cast<std::size_t>(g)] = f;
      out.kept[static_cast<std::size_t>(g)] = static_cast<Index>(overlap(f, g));
    }
  }
  return out;
}

}  // namespace tyto
