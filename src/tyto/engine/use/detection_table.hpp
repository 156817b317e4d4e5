// SPDX-License-Identifier: Apache-2.0
// The novelty scores of a run as a table of anyone's scores would hold them.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/csv/csv.hpp"

namespace tyto {

struct DetectionTable {
  // id, split, class, novel, then episode and frame where the data have groups, then a column for
  // each arm.
  CsvTable csv;
  std::vector<std::string> scores;  // columns of the arms
  bool has_validation = false;      // rows of the split validate
  bool has_times = false;           // frames are in the order of their times
};

// Of the phase `detect` of a finished run: all its arms, or the one that is named. A row is novel
// where its class was not taught. Throws Error(config) where there is no such phase, and
// Error(data) where arms were taught different classes or saw different samples.
DetectionTable detection_table(const std::string& run, const std::string& arm);

}  // namespace tyto
