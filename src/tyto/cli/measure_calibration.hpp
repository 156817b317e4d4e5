// SPDX-License-Identifier: Apache-2.0
// tyto measure --calibration LOGITS LABELS: whether confidences mean what they say.
#pragma once

#include <string>
#include <vector>

#include "tyto/measure/calibration/confidence.hpp"
#include "tyto/measure/intervals/bootstrap.hpp"

namespace CLI {
class App;
}

namespace tyto {

struct CalibrationCall {
  std::string logits, labels, frequencies, out, kind = "auto", rule = "right_closed";
  Index bins = 10;
  BootstrapOptions bootstrap{.replicates = 0};
  bool json = false, csv = false, per_class = false, quiet = false;
};

// `is_asked` becomes true by --calibration.
void add_calibration_options(CLI::App* command, bool& is_asked, CalibrationCall& call);
void measure_calibration(const CalibrationCall& call);

}  // namespace tyto
