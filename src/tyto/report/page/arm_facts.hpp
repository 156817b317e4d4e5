// SPDX-License-Identifier: Apache-2.0
// What several sections tell of one arm, from its record alone.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tyto/record/record.hpp"

namespace tyto {

bool has_split(const RunRecord& record, std::string_view split);

struct StepGrants {
  Index step = 0;
  Index labels = 0;   // granted at this step
  Index classes = 0;  // that these labels name
  // Where answers have a price or are no labels; else a label costs 1.
  std::optional<FeedbackFacts> feedback = {};

  [[nodiscard]] double spent() const {
    return feedback ? feedback->spent : static_cast<double>(labels);
  }
};

// Of the steps whose feedback is on record. Reads one phase of each.
std::vector<StepGrants> grants_of(const RunRecord& record);

struct ArmFacts {
  Index known_at_end = 0;  // classes
  Index discovered = 0;    // classes, also those that were named since
  Index last_step = 0;
};

// Reads the last test split after feedback.
ArmFacts facts_of(const RunRecord& record);

}  // namespace tyto
