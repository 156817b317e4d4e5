// SPDX-License-Identifier: Apache-2.0
// What a predictor remembered of each class, increment by increment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tyto/core/state.hpp"
#include "tyto/predictor/notes.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

class MemoryNotes {
 public:
  // After each step of the protocol; of an increment the last one counts. Increments in which
  // nothing was learned add nothing: what was there before holds.
  void add(Index step, const Notes& notes, const LabelSpace& space);

  void save(State& state) const;
  void load(const State& state);

  [[nodiscard]] std::string lines(std::string_view arm) const;  // of memory.csv

 private:
  std::vector<std::string> lines_;  // without the arm
  std::int64_t last_step_ = -1;     // whose lines come last
  std::int64_t last_count_ = 0;     // how many they are
  std::int64_t last_shown_ = 0;     // frames shown by then
};

// "memory: 160 frames of 12,800 shown, 1.25 %, budget 160 frames"; none where nothing bounds it, or
// where samples are single rows and counted as such.
std::optional<std::string> memory_remark(const Notes& notes);

}  // namespace tyto
