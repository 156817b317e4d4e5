// SPDX-License-Identifier: Apache-2.0
// Does it notice that the world has changed, and is it as good again afterwards? The programme
// metrics of SAIL-ON, of a test at each step and over all tests of a setting.
#include "tyto/measure/formulas/programme.hpp"

#include "tyto/measure/run_families/test_values.hpp"

namespace tyto {

std::vector<RunMeasureSpec> programme_run_measures() {
  std::vector<RunMeasureSpec> specs;
  for (const ProgrammeMeasure<TestScores>& measure : programme_measures()) {
    specs.push_back(test_measure(measure));
    specs.back().values = [&measure](const RunView& run) {
      return test_values(run.once<ScoresBySetting>([&] { return programme_scores(run); }), measure);
    };
  }
  return specs;
}

}  // namespace tyto
