// SPDX-License-Identifier: Apache-2.0
// A schedule as a file and as a table of counts: what was shown when, for people and programs.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "tyto/world/increments/increments.hpp"

namespace tyto {

// "id,label,increment,split,novelty" and a row per sample shown, in the order shown; novelty is
// "known" or "novel", as in ScheduledSplit::novel. The annotations named become further columns.
std::string manifest_csv(const Schedule& schedule, const IndexTable& table,
                         std::span<const std::string> annotations = {});

struct IncrementCounts {
  struct Samples {
    Index known = 0, novel = 0;
  };

  std::string dataset;
  Index known_classes = 0, novel_classes = 0;  // start classes are known at increment 0
  std::array<Samples, 3> samples;              // as kSideNames

  [[nodiscard]] Index total() const;
};

std::vector<IncrementCounts> count_increments(const Schedule& schedule);

// Aligned columns, a line per increment; splits without any sample are left out.
std::string counts_text(const std::vector<IncrementCounts>& counts);

// "increment,dataset,known_classes,novel_classes,train_known,train_novel,..." with every split.
std::string counts_csv(const std::vector<IncrementCounts>& counts);

}  // namespace tyto
