// SPDX-License-Identifier: Apache-2.0
// What a predictor said besides its predictions: alarms that the world has changed, the life of the
// classes it discovered, and what it remembers.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/state.hpp"
#include "tyto/engine/arm/memory_notes.hpp"
#include "tyto/predictor/notes.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

class Journal {
 public:
  // After each step of the protocol, in increment `step`.
  void add(Index step, const Notes& notes, const LabelSpace& space);

  void save(State& state) const;
  void load(const State& state);

  // Lines of alarms.csv, memory.csv and discoveries.csv.
  [[nodiscard]] std::string alarms(std::string_view arm) const;

  [[nodiscard]] std::string memory(std::string_view arm) const { return memory_.lines(arm); }

  [[nodiscard]] std::string discoveries(std::string_view arm, const LabelSpace& space) const;

 private:
  std::vector<std::string> alarms_;               // lines without the arm
  std::int64_t last_step_ = -1, last_seen_ = -1;  // of the last alarm
  std::vector<std::int64_t> found_, retired_;     // increment by entry of the space, -1: not
  MemoryNotes memory_;
};

}  // namespace tyto
