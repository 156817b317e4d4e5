// SPDX-License-Identifier: Apache-2.0
// What a predictor tells of itself besides its predictions: for the record and for people, never
// for a score.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tyto/parts/slots.hpp"

namespace tyto {

struct ClassHolding {
  Label label = Label::unknown;  // of the predictor's own space; unknown: kept without a label
  Holding held;
};

struct Notes {
  // Of the calibrator's last fit: a temperature, or a row of values by epoch.
  std::map<std::string, Dense<double>, std::less<>> calibration;
  std::optional<Change> change;        // what the alarm says of the stream so far
  Index remembered = 0;                // samples in memory
  Holding kept;                        // of samples, by all its parts: pools of a recogniser too
  std::vector<ClassHolding> by_class;  // what its memory holds, ascending by label
  MemoryTerms memory;                  // what that goes by
  Index frames_shown = 0;              // of all lessons; what was shown twice counts twice
  std::string representation;          // the one that was chosen, where there was a choice
  std::vector<std::string> cautions;   // promises that what it has seen cannot support
};

}  // namespace tyto
