// SPDX-License-Identifier: Apache-2.0
// Which arm of a run a user most likely wants to use, where none is named.
#pragma once

#include <string>
#include <vector>

#include "tyto/engine/run/experiment.hpp"
#include "tyto/engine/run/run_info.hpp"

namespace tyto {

struct UsualArm {
  const Arm* arm = nullptr;
  std::string why;  // "it remembers samples and has the most labels"; "" where there is one only
};

// Of the arms that have learned anything (all, where none has): those that remember samples come
// before the others, then those that could ask for the most labels, then the best by the first
// number of the run's final table, then the first listed.
UsualArm usual_arm(const std::vector<Arm>& arms, const RunFolder& folder, const RunInfo& info);

}  // namespace tyto
