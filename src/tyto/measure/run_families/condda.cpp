// SPDX-License-Identifier: Apache-2.0
// Are the novel classes of a test found, each by one lasting cluster?
#include "tyto/measure/formulas/condda.hpp"

#include "tyto/measure/run_families/test_values.hpp"

namespace tyto {

namespace {

const ConddaBySetting& condda_of(const RunView& run) {
  return run.once<ConddaBySetting>([&] { return condda_scores(run); });
}

// With a value of every class besides.
std::vector<RunValue> samples_until_discovery(const RunView& run,
                                              const ProgrammeMeasure<ConddaScores>& measure) {
  std::vector<RunValue> values;
  for (const auto& [setting, tests] : condda_of(run)) {
    for (const ConddaScores& test : tests) {
      for (const NovelClass& one : test.classes) {
        values.push_back({test.at, one.name,
                          one.until ? std::optional(static_cast<double>(*one.until)) : std::nullopt,
                          one.samples});
      }
    }
  }
  std::vector<RunValue> of_tests = test_values(condda_of(run), measure);
  std::move(of_tests.begin(), of_tests.end(), std::back_inserter(values));
  return values;
}

}  // namespace

std::vector<RunMeasureSpec> condda_run_measures() {
  std::vector<RunMeasureSpec> specs;
  for (const ProgrammeMeasure<ConddaScores>& measure : condda_measures()) {
    specs.push_back(test_measure(measure));
    if (measure.value == &ConddaScores::until) {
      specs.back().values = [&measure](const RunView& run) {
        return samples_until_discovery(run, measure);
      };
    } else {
      specs.back().values = [&measure](const RunView& run) {
        return test_values(condda_of(run), measure);
      };
    }
  }
  return specs;
}

}  // namespace tyto
