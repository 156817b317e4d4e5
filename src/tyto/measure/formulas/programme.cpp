// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/programme.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

std::optional<double> ratio_of(double part, double whole) {
  return whole > 0.0 ? std::optional(part / whole) : std::nullopt;
}

std::optional<double> ratio_of(std::optional<double> part, std::optional<double> whole) {
  return part && whole ? ratio_of(*part, *whole) : std::nullopt;
}

// Share of ones in [begin, end); missing where there is no sample or nothing was recorded.
std::optional<double> share_in(const std::vector<std::uint8_t>& flags, Index begin, Index end) {
  if (flags.empty() || begin >= end) {
    return std::nullopt;
  }
  const auto ones = std::count(flags.begin() + begin, flags.begin() + end, 1);
  return static_cast<double>(ones) / static_cast<double>(end - begin);
}

// Share of ones of `flags` among the samples at which `among` is one.
std::optional<double> share_where(const std::vector<std::uint8_t>& flags,
                                  const std::vector<std::uint8_t>& among, Index begin = 0) {
  Index hits = 0, all = 0;
  for (std::size_t i = at(begin); i < flags.size(); ++i) {
    all += among[i];
    hits += among[i] != 0 && flags[i] != 0 ? 1 : 0;
  }
  return ratio_of(static_cast<double>(hits), static_cast<double>(all));
}

void score_detection(const TestStream& test, double threshold, Index change, TestScores& scores) {
  if (test.p_changed.empty()) {
    return;
  }
  const auto above = [&](Index i) {
    return static_cast<double>(test.p_changed[at(i)]) > threshold;
  };
  Index raised = 0;
  for (Index i = 0; i < test.size(); ++i) {
    if (above(i)) {
      scores.declared = scores.declared.value_or(i);
      raised += i < change && (i == 0 || !above(i - 1)) ? 1 : 0;
    }
  }
  const Index declared = scores.declared.value_or(test.size());
  if (change > 0) {
    scores.early = declared < change ? 1.0 : 0.0;
    scores.alarms_before = static_cast<double>(raised) / static_cast<double>(change);
  }
  if (change < test.size()) {
    const bool is_correct = declared >= change && declared < test.size();
    scores.detected = is_correct ? 1.0 : 0.0;
    if (is_correct) {
      scores.delay = static_cast<double>(declared - change);
    }
  }
}

const TestScores* same_test(std::span<const TestScores> tests, const std::string& test) {
  const auto found = std::find_if(tests.begin(), tests.end(),
                                  [&](const TestScores& one) { return one.test == test; });
  return found == tests.end() ? nullptr : &*found;
}

using TestColumn = ProgrammeMeasure<TestScores>;
using BaselineColumn = ProgrammeMeasure<BaselineScores>;

constexpr std::array kTestMeasures{
    TestColumn{"change_detected",
               "Share of the tests in which the change was declared, and not before it came.",
               "1 if the first p(changed) > 0.5 comes at or after the red light, else 0; mean over "
               "the tests that have a change",
               "M2", Better::higher, &TestScores::detected},
    TestColumn{"change_early_alarm",
               "Share of the tests in which a change was declared before there was one.",
               "1 if some p(changed) > 0.5 before the red light, else 0; of a test without change "
               "anywhere; mean over tests",
               "M2.1", Better::lower, &TestScores::early},
    TestColumn{"change_detection_delay",
               "Samples that went by after the change until it was declared.",
               "d - c; c first sample after the red light, d first with p(changed) > 0.5; missing "
               "where d < c or nothing is declared; mean over the tests that have it",
               "M1", Better::lower, &TestScores::delay},
    TestColumn{"change_false_alarms",
               "How often a change is declared before there is one, per sample.",
               "samples before the red light at which p(changed) rises above 0.5 / samples before "
               "the red light; mean over tests",
               "", Better::lower, &TestScores::alarms_before},
    TestColumn{"accuracy_before_change", "Share of right answers before the change.",
               "samples before the red light called by their class / samples before the red light; "
               "mean over tests",
               "", Better::higher, &TestScores::before},
    TestColumn{"top3_accuracy_before_change",
               "Share of samples before the change whose class is among the first three answers.",
               "as accuracy_before_change, with any of the first 3 entries", "", Better::higher,
               &TestScores::before3},
    TestColumn{"accuracy_after_change",
               "Share of right answers after the change; a novel sample is right as unknown, as a "
               "discovered class or by its name.",
               "right samples from the red light on / samples from the red light on; mean over "
               "tests",
               "", Better::higher, &TestScores::after},
    TestColumn{"top3_accuracy_after_change",
               "Share of samples after the change with a right answer among the first three.",
               "as accuracy_after_change, with any of the first 3 entries", "", Better::higher,
               &TestScores::after3},
    TestColumn{"asymptotic_accuracy",
               "Share of right answers at the end of a test, once there was time to react.",
               "right samples / samples, of the last 100 after the red light (all of them where "
               "there are fewer); mean over tests",
               "", Better::higher, &TestScores::last},
    TestColumn{"top3_asymptotic_accuracy",
               "Share of samples at the end of a test with a right answer among the first three.",
               "as asymptotic_accuracy, with any of the first 3 entries", "", Better::higher,
               &TestScores::last3},
    TestColumn{"accuracy_on_novel",
               "Share of novel samples called unknown, by a discovered class or by their name.",
               "right novel samples / novel samples; mean over tests", "", Better::higher,
               &TestScores::novel},
    TestColumn{"top3_accuracy_on_novel",
               "Share of novel samples with a right answer among the first three.",
               "as accuracy_on_novel, with any of the first 3 entries", "", Better::higher,
               &TestScores::novel3},
    TestColumn{"novelty_calls_before_change",
               "Share of samples before the change that are called novel.",
               "samples before the red light decided for anything but a class known at the start "
               "of the test / samples before the red light; mean over tests",
               "", Better::lower, &TestScores::calls_before},
    TestColumn{"novelty_call_precision",
               "Share of samples called novel after the change that are novel.",
               "novel samples called novel / samples called novel, from the red light on; mean "
               "over tests",
               "", Better::higher, &TestScores::call_precision},
    TestColumn{"novelty_call_recall",
               "Share of novel samples after the change that are called novel.",
               "novel samples called novel / novel samples, from the red light on; mean over tests",
               "", Better::higher, &TestScores::call_recall},
    TestColumn{"accuracy_kept",
               "How much of its accuracy a system has again at the end of a test: 1 all of it.",
               "asymptotic_accuracy / accuracy_before_change of the same test; mean over tests "
               "(NRP with itself as the baseline)",
               "", Better::higher, &TestScores::own_nrp},
    TestColumn{"top3_accuracy_kept",
               "How much of its top-3 accuracy a system has again at the end of a test.",
               "top3_asymptotic_accuracy / top3_accuracy_before_change; mean over tests", "",
               Better::higher, &TestScores::own_nrp3}};

constexpr std::array kBaselineMeasures{
    BaselineColumn{"nrp",
                   "What is right at the end of a test, against what the baseline had right before "
                   "the change.",
                   "asymptotic_accuracy of the agent / accuracy_before_change of the baseline; "
                   "mean over tests",
                   "M3", Better::higher, &BaselineScores::nrp},
    BaselineColumn{"top3_nrp", "The same for the first three answers.",
                   "top3_asymptotic_accuracy of the agent / top3_accuracy_before_change of the "
                   "baseline; mean over tests",
                   "", Better::higher, &BaselineScores::nrp3},
    BaselineColumn{"opti",
                   "Share of the agent in what it and the baseline have right after the change: "
                   "0.5 as good.",
                   "a / (a + b); a, b accuracy_after_change of agent and baseline; mean over tests",
                   "M5", Better::higher, &BaselineScores::opti}};

}  // namespace

TestScores score_test(const TestStream& test, const ProgrammeOptions& options) {
  TestScores scores;
  scores.at = test.at;
  scores.test = test.test;
  const Index n = test.size();
  const Index change = test.change();
  scores.samples = n;
  if (change < n) {
    scores.change = change;
  }
  score_detection(test, options.threshold, change, scores);

  const Index after = n - change;
  const Index last =
      options.last_share > 0.0
          ? std::max<Index>(1, std::llround(options.last_share * static_cast<double>(after)))
          : options.last;
  const Index late = n - std::min(after, last);
  scores.before = share_in(test.right, 0, change);
  scores.before3 = share_in(test.right3, 0, change);
  scores.after = share_in(test.right, change, n);
  scores.after3 = share_in(test.right3, change, n);
  scores.last = share_in(test.right, late, n);
  scores.last3 = share_in(test.right3, late, n);
  scores.novel = share_where(test.right, test.novel);
  scores.novel3 = test.right3.empty() ? std::nullopt : share_where(test.right3, test.novel);
  scores.calls_before = share_in(test.called_novel, 0, change);
  scores.call_precision = share_where(test.novel, test.called_novel, change);
  scores.call_recall = share_where(test.called_novel, test.novel, change);
  scores.own_nrp = ratio_of(scores.last, scores.before);
  scores.own_nrp3 = ratio_of(scores.last3, scores.before3);
  return scores;
}

std::vector<BaselineScores> against_baseline(std::span<const TestScores> agent,
                                             std::span<const TestScores> baseline) {
  std::vector<BaselineScores> out;
  for (const TestScores& one : agent) {
    const TestScores* found = same_test(baseline, one.test);
    if (found == nullptr) {
      continue;
    }
    BaselineScores& scores = out.emplace_back();
    scores.at = one.at;
    scores.test = one.test;
    scores.nrp = ratio_of(one.last, found->before);
    scores.nrp3 = ratio_of(one.last3, found->before3);
    if (one.after && found->after) {
      scores.opti = ratio_of(*one.after, *one.after + *found->after);
    }
    if (one.last && found->last) {
      scores.last = one.last;
      scores.baseline_last = found->last;
    }
  }
  return out;
}

std::span<const ProgrammeMeasure<TestScores>> programme_measures() {
  return kTestMeasures;
}

std::span<const ProgrammeMeasure<BaselineScores>> baseline_measures() {
  return kBaselineMeasures;
}

std::vector<ProgrammeRow> programme_summary(std::span<const TestScores> tests,
                                            const BootstrapOptions& bootstrap) {
  return rows_over_tests(programme_measures(), tests, bootstrap);
}

std::vector<ProgrammeRow> programme_differences(std::span<const TestScores> first,
                                                std::span<const TestScores> second,
                                                const BootstrapOptions& bootstrap) {
  std::vector<TestScores> differences;
  for (const TestScores& one : first) {
    if (const TestScores* other = same_test(second, one.test)) {
      TestScores& difference = differences.emplace_back();
      for (const TestColumn& measure : kTestMeasures) {
        const auto a = one.*measure.value, b = other->*measure.value;
        difference.*measure.value = a && b ? std::optional(*b - *a) : std::nullopt;
      }
    }
  }
  return rows_over_tests<TestScores>(programme_measures(), differences, bootstrap);
}

std::vector<ProgrammeRow> baseline_summary(std::span<const BaselineScores> tests,
                                           const BootstrapOptions& bootstrap) {
  std::vector<ProgrammeRow> rows = rows_over_tests(baseline_measures(), tests, bootstrap);
  if (!tests.empty() && tests.front().at.phase == "given") {
    rows.front().programme_name = "M4";
  }
  const auto both = std::count_if(tests.begin(), tests.end(),
                                  [](const BaselineScores& test) { return test.last.has_value(); });
  rows.push_back(row_over_tests("apti", std::ssize(tests), both, bootstrap,
                                [&](std::span<const Index> picked) {
                                  double agent = 0.0, baseline = 0.0;
                                  for (const Index i : picked) {
                                    agent += tests[at(i)].last.value_or(0.0);
                                    baseline += tests[at(i)].baseline_last.value_or(0.0);
                                  }
                                  return ratio_of(agent, baseline);
                                }));
  rows.back().programme_name = "M6";
  return rows;
}

ScoresBySetting programme_scores(const RunView& run, const ProgrammeOptions& options) {
  ScoresBySetting scores;
  const TestsBySetting& tests = run.once<TestsBySetting>([&] { return test_streams(run); });
  for (const auto& [setting, streams] : tests) {
    for (const TestStream& stream : streams) {
      scores[setting].push_back(score_test(stream, options));
    }
  }
  return scores;
}

const std::vector<TestScores>& baseline_tests(const ScoresBySetting& baseline,
                                              const std::string& setting) {
  if (const auto found = baseline.find(setting); found != baseline.end()) {
    return found->second;
  }
  if (baseline.size() == 1) {
    return baseline.begin()->second;
  }
  std::string names;
  for (const auto& [name, tests] : baseline) {
    names += (names.empty() ? "" : ", ") + name;
  }
  throw Error(ErrorKind::config,
              names.empty() ? std::string("the baseline is no run of tests")
                            : fmt::format("the baseline has no tests of the setting \"{}\", but "
                                          "of {}",
                                          setting, names));
}

}  // namespace tyto
