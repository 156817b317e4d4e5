// SPDX-License-Identifier: Apache-2.0
// A record that is kept in memory: of trials, which leave nothing but their outcome.
#pragma once

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/record/record.hpp"

namespace tyto {

class MemoryRecord final : public RunRecord {
 public:
  explicit MemoryRecord(Truth truth) : truth_(std::move(truth)) {}

  void add(Phase phase) { phases_.push_back(std::move(phase)); }

  [[nodiscard]] std::vector<PhaseKey> phases() const override {
    std::vector<PhaseKey> keys;
    for (const Phase& phase : phases_) {
      keys.push_back(phase.key);
    }
    return keys;
  }

  [[nodiscard]] Phase phase(const PhaseKey& key) const override {
    const auto found = std::find_if(phases_.begin(), phases_.end(),
                                    [&](const Phase& phase) { return phase.key == key; });
    if (found == phases_.end()) {
      throw Error(ErrorKind::state, fmt::format("the record has no phase {}", key.name()));
    }
    return *found;
  }

  [[nodiscard]] const Truth* truth() const override { return &truth_; }

 private:
  Truth truth_;
  std::vector<Phase> phases_;
};

}  // namespace tyto
