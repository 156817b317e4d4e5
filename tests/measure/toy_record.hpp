// SPDX-License-Identifier: Apache-2.0
// A run of a few samples held in memory, and the worked example of the views as a phase.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tyto/record/record.hpp"

namespace tyto {

struct ToyRecord final : RunRecord {
  std::vector<Phase> all;
  std::optional<Truth> labels;

  ToyRecord(std::vector<Phase> phases, Truth truth)
      : all(std::move(phases)), labels(std::move(truth)) {}

  [[nodiscard]] std::vector<PhaseKey> phases() const override {
    std::vector<PhaseKey> keys;
    for (const Phase& phase : all) {
      keys.push_back(phase.key);
    }
    return keys;
  }

  [[nodiscard]] Phase phase(const PhaseKey& key) const override {
    return *std::find_if(all.begin(), all.end(), [&](const Phase& p) { return p.key == key; });
  }

  [[nodiscard]] const Truth* truth() const override { return labels ? &*labels : nullptr; }
};

// Decisions are names of known classes, "unknown" or "discovered_<n>"; sample i has id first + i.
inline Phase toy_phase(PhaseKey key, const std::vector<std::string>& known,
                       const std::vector<std::string>& decisions, Index first = 0) {
  Phase phase;
  phase.key = std::move(key);
  phase.known = known;
  phase.shown = known;
  for (const std::string& name : known) {
    phase.space.add_known(name);
  }
  phase.space.add_discovered();
  phase.space.add_discovered();
  phase.top.resize(static_cast<Index>(decisions.size()), 1);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    phase.sample.push_back(static_cast<SampleId>(first + static_cast<Index>(i)));
    phase.top(static_cast<Index>(i), 0) =
        static_cast<std::int32_t>(phase.space.find(decisions[i]).value());
  }
  return phase;
}

inline Truth toy_truth(std::vector<std::string> labels) {
  Truth truth;
  truth.label = std::move(labels);
  return truth;
}

inline Truth worked_truth() {
  return toy_truth({"A", "A", "A", "A", "B", "B", "B", "B", "X", "X", "X", "Y", "Y", "Y"});
}

inline Phase worked_phase(PhaseKey key) {
  return toy_phase(std::move(key), {"A", "B"},
                   {"A", "A", "A", "B", "B", "B", "unknown", "A", "discovered_0", "discovered_0",
                    "A", "discovered_1", "discovered_0", "unknown"});
}

}  // namespace tyto
