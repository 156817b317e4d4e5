// SPDX-License-Identifier: Apache-2.0
// Confusion matrices as a page holds them: counts of pairs of names, and fewer of them where a run
// is so large that the page would be too.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/record/record.hpp"
#include "tyto/report/page/source.hpp"

namespace tyto {

struct PageMatrix {
  Index arm = 0;
  PhaseKey key;              // step -1: all together
  std::vector<Index> known;  // names
  // Actual and predicted name, count: sorted, none of them 0.
  std::vector<std::array<std::int32_t, 3>> cells;
};

// Of every step, phase and split of a record, batches of an increment together, the classes known
// when its first batch came. One phase is held at a time.
std::vector<PageMatrix> count_confusions(const RunRecord& record, Index arm, NameList& names,
                                         Progress& progress);

// Makes them fewer until they have at most `most` cells, as far as that goes: first every split but
// test is summed over the steps, then left out, then test is summed too. A sum has the classes
// known at its last step. Returns what was done, in a sentence, or "".
std::string coarsen(std::vector<PageMatrix>& matrices, std::size_t most);

}  // namespace tyto
