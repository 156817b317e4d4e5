// SPDX-License-Identifier: Apache-2.0
// In which order a protocol's phases come about, so that a record is read in the order of events.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/record/record.hpp"

namespace tyto {

// Names not listed come after those that are, in their natural order: test_7 before test_10.
struct PhaseOrder {
  std::vector<std::string> phases;  // within an increment
  std::vector<std::string> splits;  // within a phase

  // By increment, batch, phase, split. What was evaluated over the whole increment comes after its
  // batches.
  [[nodiscard]] bool before(const PhaseKey& a, const PhaseKey& b) const;
};

// Runs of digits compare as numbers; equal numbers by their text, so that no two names are equal.
bool comes_before_naturally(std::string_view a, std::string_view b);

}  // namespace tyto
