// SPDX-License-Identifier: Apache-2.0
// What a predictor said of the world besides its predictions: alarms that it has changed, and the
// life of the classes it discovered.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/state.hpp"
#include "tyto/predictor/notes.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

class Journal {
 public:
  // After each step of the protocol, in increment `step`.
  void add(Index step, const Notes& notes, const LabelSpace& space);

  void save(State& state) const;
  void load(const State& state);

  // Lines of alarms.csv and discoveries.csv.
  [[nodiscard]] std::string alarms(std::string_view arm) const;
  [[nodiscard]] std::string discoveries(std::string_view arm, const LabelSpace& space) const;

 private:
  std::vector<std::string> alarms_;               // lines without the arm
  std::int64_t last_step_ = -1, last_seen_ = -1;  // of the last alarm
  std::vector<std::int64_t> found_, retired_;     // increment by entry of the space, -1: not
};

}  // namespace tyto
