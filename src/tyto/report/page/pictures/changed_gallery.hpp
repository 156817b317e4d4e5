// SPDX-License-Identifier: Apache-2.0
// Samples shown as they are and under a nuisance, and what was made of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/record/record.hpp"

namespace tyto {

struct ChangedItem {
  SampleId sample{};
  Index step = 0;
  std::string name, truth;
  std::string after;      // what was said under the nuisance
  double confidence = 0;  // in that
};

struct ChangedShelf {
  std::vector<ChangedItem> items;  // the surest first, ties by name, then step
  Index samples = 0;               // that there are
};

// Of samples that were named right as they are.
struct ChangedShelves {
  ChangedShelf lost, kept;  // wrong under the nuisance, and right all the same
};

// Steps and samples that the phase has of both splits, matched by id; at most `items` of each.
ChangedShelves changed_gallery(const RunRecord& record, std::string_view phase,
                               std::string_view plain, std::string_view changed, std::size_t items,
                               Progress& progress);

}  // namespace tyto
