// SPDX-License-Identifier: Apache-2.0
// Which of the groups found now are the ones found before: matched by the members they share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct Lineage {
  std::vector<Index> former;  // for each group found now the former one it continues, -1: none
  // For each former group: the one found now that took most of its members, -1: none of them is
  // grouped; and how many of how many that are.
  std::vector<Index> heir, shared, size;
  // For each group found now: the former one that most of its members come from, -1: no grouped
  // member; and how many.
  std::vector<Index> source, inherited;
  // For each group found now: members it has from the former one it continues, and from any.
  std::vector<Index> kept, settled;
};

// Both lists give a group per row, below 0: none. One former group continues in at most one: pairs
// of the greatest total overlap, if a pair shares at least a quarter of the former group's members.
Lineage trace_groups(std::span<const std::int32_t> before, Index former,
                     std::span<const std::int32_t> now, Index found);

}  // namespace tyto
