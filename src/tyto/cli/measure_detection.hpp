// SPDX-License-Identifier: Apache-2.0
// tyto measure --detection SCORES, or a run: how well a novelty score finds what is new, and which
// threshold to use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tyto/measure/detection/over_frames.hpp"
#include "tyto/measure/detection/summary.hpp"

namespace CLI {
class App;
}

namespace tyto {

struct DetectionCall {
  std::string file, truth = "novel", rule = "max_recall", validation, cost;
  std::vector<std::string> scores;
  std::optional<double> prior, frequency, alarms_per_day, frames_per_day;
  double recall = 0.95, precision = 0.80;
  std::string episodes;  // a file that says which episodes are novel; "groups": the rows do
  std::string over_frames = "maximum", missing = "zero";
  Index window = 5;
  double drift = 0.5;

  [[nodiscard]] bool is_asked() const { return !file.empty(); }
};

struct DetectionForm {  // what every form of the verb is told
  std::vector<std::string> targets;
  std::string out, by_group, arm;
  bool json = false, csv = false, quiet = false;
  BootstrapOptions bootstrap{.replicates = 0};
};

void add_detection_options(CLI::App* command, DetectionCall& call);
// Throws Error(config) where what was told does not go together.
DetectionOptions detection_options(const DetectionCall& call);
void measure_detection(const DetectionCall& call, const DetectionForm& form);

}  // namespace tyto
