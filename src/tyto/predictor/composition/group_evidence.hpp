// SPDX-License-Identifier: Apache-2.0
// That a sample lies among samples which form a new class speaks for its being new as well.
#pragma once

#include <cstdint>
#include <vector>

#include "tyto/core/state.hpp"
#include "tyto/predictor/composition/novelty_threshold.hpp"

namespace tyto {

// The novelty of whoever lies in a discovered group counts `bonus` more. The threshold is set anew
// by held-out samples of known classes to which the same was done, so that the accepted error holds
// whatever the groups are worth: where many known samples lie in them, it rises by as much.
struct GroupEvidence {
  float bonus = 0;
  Threshold threshold;

  void save(State& state) const;
  static GroupEvidence loaded(const State& state);
};

// Is the greatest membership that of a group with a name? One entry a row.
std::vector<std::uint8_t> in_named_group(const Evidence& evidence);

// Adds the bonus to the novelty of those in a group, and judges anew.
void heed_groups(Evidence& evidence, const GroupEvidence& groups);

}  // namespace tyto
