// SPDX-License-Identifier: Apache-2.0
// The programme metrics of SAIL-ON (M1 to M6) and what they rest on, by sound definitions: the
// change is the red light, before and after part exactly there, a change that is never detected has
// no delay, and a detection at the last sample counts. What the public server computes instead is
// in sail_on/released_evaluation.hpp.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tyto/measure/formulas/over_tests.hpp"
#include "tyto/measure/formulas/test_stream.hpp"

namespace tyto {

struct ProgrammeOptions {
  double threshold = 0.5;  // the change is declared by the first p(changed) above it
  Index last = 100;        // samples after the change that are asymptotic, from the end
  double last_share = 0;   // above 0: this share of those after the change instead
};

// Of one test; missing where there is nothing to measure.
struct TestScores {
  PhaseKey at;
  std::string test;
  Index samples = 0;
  std::optional<Index> change;    // first sample after the red light, from 0
  std::optional<Index> declared;  // first sample at which the change is declared

  std::optional<double> detected, early, delay;  // 1 or 0; 1 or 0; samples
  std::optional<double> alarms_before;           // alarms raised per sample before the change
  std::optional<double> before, before3, after, after3;  // accuracy
  std::optional<double> last, last3;                     // asymptotic accuracy
  std::optional<double> novel, novel3;                   // accuracy on novel samples
  std::optional<double> calls_before;                    // called novel before the change
  std::optional<double> call_precision, call_recall;     // of calls of novelty after it
  std::optional<double> own_nrp, own_nrp3;               // last / before
};

TestScores score_test(const TestStream& test, const ProgrammeOptions& options = {});

// Of one test of an agent and the same test of a baseline.
struct BaselineScores {
  PhaseKey at;  // the agent's
  std::string test;
  std::optional<double> nrp, nrp3;            // the agent's last / the baseline's before
  std::optional<double> opti;                 // after / (after + the baseline's after)
  std::optional<double> last, baseline_last;  // both asymptotic accuracies, where both exist
};

// By id of the test; those the baseline has not run are left out.
std::vector<BaselineScores> against_baseline(std::span<const TestScores> agent,
                                             std::span<const TestScores> baseline);

std::span<const ProgrammeMeasure<TestScores>> programme_measures();
std::span<const ProgrammeMeasure<BaselineScores>> baseline_measures();  // without apti

// Mean of every measure over the tests, each with the same weight.
std::vector<ProgrammeRow> programme_summary(std::span<const TestScores> tests,
                                            const BootstrapOptions& bootstrap = {});
// Mean over the tests both have of second - first, of every measure: what knowing the moment buys,
// where the second was given it and the first was not. Tests are matched by id.
std::vector<ProgrammeRow> programme_differences(std::span<const TestScores> first,
                                                std::span<const TestScores> second,
                                                const BootstrapOptions& bootstrap = {});

// M3 (M4 where the moment was given: the setting "given"), M5 and M6. M6, apti, is the sum over
// tests of the agent's asymptotic accuracy over the sum of the baseline's.
std::vector<ProgrammeRow> baseline_summary(std::span<const BaselineScores> tests,
                                           const BootstrapOptions& bootstrap = {});

// Every setting of a run, its tests by step.
using ScoresBySetting = std::map<std::string, std::vector<TestScores>>;
ScoresBySetting programme_scores(const RunView& run, const ProgrammeOptions& options = {});

// The baseline's tests of that setting, or of the only one it has. Throws Error(config) naming its
// settings otherwise.
const std::vector<TestScores>& baseline_tests(const ScoresBySetting& baseline,
                                              const std::string& setting);

}  // namespace tyto
