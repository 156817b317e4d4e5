// SPDX-License-Identifier: Apache-2.0
// What `tyto measure` was asked, and the measuring of predictions: of a run, or of anyone's table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tyto/cli/measure_calibration.hpp"
#include "tyto/cli/measure_detection.hpp"
#include "tyto/cli/measure_programme.hpp"
#include "tyto/cli/measure_tasks.hpp"
#include "tyto/engine/use/measure_target.hpp"
#include "tyto/report/measure_table.hpp"

namespace tyto {

// Of a difference, which is worth little without an interval.
inline constexpr Index kPairedReplicates = 1000;

struct MeasureArguments {
  std::vector<std::string> targets;
  std::string arm, arm2, known, by, annotations, by_group, out, confusion, labels;
  PredictionColumns columns;
  std::string probability;
  std::vector<std::string> measures, data;
  Selection only;
  Index bootstrap = -1;
  Index novel_again = 0;  // increments; 0: as the run says
  double level = 0.95;
  std::uint64_t seed = 1;
  int threads = 0;
  bool per_class = false, stratify = false, common = false, json = false, csv = false,
       quiet = false;
  bool calibration = false;
  CalibrationCall scores;   // what --calibration adds
  ProgrammeCall programme;  // what --sail-on and --baseline add
  TasksCall tasks;          // what --matrix adds
  DetectionCall detection;  // what --detection adds
  std::string head;         // the dataset of --head

  [[nodiscard]] bool for_people() const { return !json && !csv; }

  [[nodiscard]] bool is_paired() const { return targets.size() == 2 || !arm2.empty(); }

  [[nodiscard]] Shown shown() const { return measures.empty() ? Shown::main : Shown::all; }
};

void measure_predictions(const MeasureArguments& given);

}  // namespace tyto
