// SPDX-License-Identifier: Apache-2.0
// Scores of tests as rows of a measure of whole runs.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "tyto/measure/formulas/over_tests.hpp"
#include "tyto/measure/run_registry.hpp"

namespace tyto {

// A value at the step of each test and, last, the mean over those that have one, setting by
// setting.
template <class Scores>
std::vector<RunValue> test_values(const std::map<std::string, std::vector<Scores>>& settings,
                                  const ProgrammeMeasure<Scores>& measure) {
  std::vector<RunValue> values;
  for (const auto& [setting, tests] : settings) {
    Index samples = 0;
    for (const Scores& test : tests) {
      values.push_back({test.at, "", test.*measure.value, test.samples});
      samples += test.samples;
    }
    const auto column = column_of<Scores>(measure, tests);
    values.push_back(
        {{kAllSteps, setting, tests.front().at.split, 0}, "", mean_over_tests(column), samples});
  }
  return values;
}

template <class Scores>
RunMeasureSpec test_measure(const ProgrammeMeasure<Scores>& measure) {
  RunMeasureSpec spec;
  spec.name = measure.name;
  spec.summary = measure.summary;
  spec.formula = measure.formula;
  spec.reads = "every setting of a run of tests, test after test";
  spec.better = measure.better;
  if (!measure.programme_name.empty()) {
    spec.also_called = {std::string(measure.programme_name)};
  }
  return spec;
}

}  // namespace tyto
