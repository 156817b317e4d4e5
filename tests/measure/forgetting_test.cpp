// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/forgetting.hpp"

#include <set>

#include "measure/toy_record.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/random.hpp"
#include "tyto/measure/formulas/per_class.hpp"
#include "tyto/measure/run_registry.hpp"
#include "tyto/measure/table.hpp"

namespace tyto {
namespace {

struct Evaluations {
  std::vector<Phase> phases;
  Truth truth;

  // Rows are truth and decision.
  void add(PhaseKey key, const std::vector<std::string>& known,
           const std::vector<std::pair<std::string, std::string>>& rows) {
    std::vector<std::string> decisions;
    const auto first = static_cast<Index>(truth.label.size());
    for (const auto& [label, decision] : rows) {
      truth.label.push_back(label);
      decisions.push_back(decision);
    }
    phases.push_back(toy_phase(std::move(key), known, decisions, first));
  }

  [[nodiscard]] ToyRecord record() const { return {phases, truth}; }
};

// Recall after feedback:  step 0    1     2
//                      A       3/4  1     1/2
//                      B       1    1/4   not tested
//                      C       new  1/2   0
//                      D                  never learned
Evaluations forgetful_run() {
  Evaluations run;
  run.add({0, "post", "test"}, {"A", "B"},
          {{"A", "A"}, {"A", "A"}, {"A", "A"}, {"A", "B"}, {"B", "B"}, {"B", "B"}});
  run.add({1, "pre", "test"}, {"A", "B"}, {{"A", "B"}, {"B", "A"}, {"C", "unknown"}});
  run.add({1, "post", "test"}, {"A", "B", "C"},
          {{"A", "A"},
           {"A", "A"},
           {"B", "B"},
           {"B", "C"},
           {"B", "unknown"},
           {"B", "discovered_0"},
           {"C", "C"},
           {"C", "A"}});
  run.add({2, "post", "test"}, {"A", "B", "C"},
          {{"A", "A"}, {"A", "B"}, {"C", "A"}, {"C", "B"}, {"D", "unknown"}});
  return run;
}

std::vector<MeasureRow> forgetting_rows(const RunRecord& run) {
  return measure_run(run, {.measures = {"forgetting"}});
}

TEST(Forgetting, is_the_best_recall_of_old_classes_minus_that_of_now) {
  const auto rows = forgetting_rows(forgetful_run().record());
  ASSERT_EQ(rows.size(), 4U);
  for (const MeasureRow& row : rows) {
    EXPECT_EQ(row.phase + row.split + row.view + row.novel_to, "posttestrawpredictor");
  }
  EXPECT_EQ(rows[0].step, 0);
  EXPECT_FALSE(rows[0].value);                                  // nothing is old
  EXPECT_DOUBLE_EQ(rows[1].value.value(), (-0.25 + 0.75) / 2);  // A better than ever, B
  EXPECT_DOUBLE_EQ(rows[2].value.value(), (0.5 + 0.5) / 2);     // A, C
  EXPECT_EQ(rows[3].step, kAllSteps);
  EXPECT_DOUBLE_EQ(rows[3].value.value(), (0.5 + 0.75 + 0.5) / 3);  // B as when last tested
  EXPECT_EQ(rows[2].samples, 5);
  EXPECT_EQ(rows[3].samples, 19);
}

TEST(Forgetting, is_told_of_each_class) {
  const ToyRecord run = forgetful_run().record();
  const RunView view(run);
  std::map<std::string, double> over_run;
  for (const RunValue& value : find_run_measure("average_forgetting")->values(view)) {
    if (value.at.step == kAllSteps && !value.name.empty()) {
      over_run[value.name] = value.value.value();
    }
  }
  EXPECT_THAT(over_run, testing::ElementsAre(testing::Pair("A", 0.5), testing::Pair("B", 0.75),
                                             testing::Pair("C", 0.5)));
  for (const PhaseSeries& series : view_series(run, {})) {
    for (const ClassRow& row : per_class(series)) {
      if (row.step == kAllSteps) {
        const bool old = series.steps.front().key.phase == "post" && over_run.contains(row.name);
        ASSERT_EQ(row.forgotten.has_value(), old) << row.name;
        EXPECT_EQ(row.forgotten.value_or(0), old ? over_run.at(row.name) : 0.0) << row.name;
      }
    }
  }
}

TEST(Forgetting, is_measured_on_each_split_and_by_groups) {
  Evaluations run = forgetful_run();
  run.add({0, "post", "train"}, {"A"}, {{"A", "A"}});
  EXPECT_EQ(forgetting_rows(run.record()).size(), 4U);  // a split that was shown once has none
  run.add({1, "post", "train"}, {"A"}, {{"A", "unknown"}});
  const auto rows = forgetting_rows(run.record());
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows.back().split, "train");
  EXPECT_EQ(rows.back().value, 1.0);

  const auto series = view_series(run.record(), {{NovelTo::predictor}, {}, {"post", "test"}});
  const Truth& truth = run.truth;
  const Groups groups = make_groups(truth, truth.label, measured_samples(series, truth), "label");
  std::map<std::string, std::optional<double>> by_label;
  for (const MeasureRow& row : measure_whole_run(by_group(series, groups), truth, {})) {
    if (row.step == kAllSteps) {
      by_label[row.group] = row.value;
    }
  }
  EXPECT_EQ(by_label, (std::map<std::string, std::optional<double>>{
                          {"A", 0.5}, {"B", 0.75}, {"C", 0.5}}));  // D was tested once
}

TEST(RunView, has_the_batches_of_an_increment_as_one_phase_and_views_them_when_asked) {
  Evaluations run;
  run.add({0, "post", "test"}, {"A"}, {{"A", "A"}});
  run.add({1, "pre", "test", 1}, {"A"}, {{"A", "A"}, {"B", "unknown"}});
  run.add({1, "pre", "test", 2}, {"A", "B"}, {{"B", "B"}});
  run.truth.time = {4, 5, 6, 7};
  const ToyRecord record = run.record();
  const RunView view(record);
  EXPECT_THAT(view.phases(),
              testing::ElementsAre(PhaseKey{0, "post", "test"}, PhaseKey{1, "pre", "test"}));
  EXPECT_THAT(view.steps("pre", "test"), testing::ElementsAre(PhaseKey{1, "pre", "test"}));
  EXPECT_TRUE(view.steps("pre", "train").empty());
  const PhaseView stream = view.view({1, "pre", "test"});
  ASSERT_EQ(stream.size(), 3);
  EXPECT_EQ(view.truth().time[static_cast<std::size_t>(stream.sample.back())], 7.0);
  EXPECT_EQ(RunView(record, {"post", ""}).phases().size(), 1U);
}

// By the definition, class by class, from the phases themselves.
std::map<std::string, double> forgotten_by_hand(const Evaluations& run, Index until) {
  std::map<std::string, double> lost;
  const std::set<std::string> classes(run.truth.label.begin(), run.truth.label.end());
  for (const std::string& name : classes) {
    std::vector<std::pair<double, bool>> tests;  // recall, known
    for (const Phase& phase : run.phases) {
      double samples = 0;
      double right = 0;
      for (Index i = 0; i < phase.size(); ++i) {
        if (run.truth.label_of(phase.sample[static_cast<std::size_t>(i)]) == name) {
          samples += 1;
          right += phase.decision(i) == name ? 1 : 0;
        }
      }
      if (samples > 0 && phase.key.step <= until) {
        tests.emplace_back(right / samples, std::find(phase.known.begin(), phase.known.end(),
                                                      name) != phase.known.end());
      }
    }
    std::optional<double> best;
    for (std::size_t s = 0; s + 1 < tests.size(); ++s) {
      if (tests[s].second) {
        best = std::max(best.value_or(0.0), tests[s].first);
      }
    }
    if (best) {
      lost[name] = *best - tests.back().first;
    }
  }
  return lost;
}

TEST(Forgetting, agrees_with_its_definition_on_drawn_runs) {
  const std::vector<std::string> classes{"A", "B", "C", "D", "E", "F"};
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    Evaluations run;
    const Index steps = 2 + rng.below(5);
    std::size_t known = 1 + static_cast<std::size_t>(rng.below(3));
    for (Index step = 0; step < steps; ++step) {
      const std::vector<std::string> learned(classes.begin(),
                                             classes.begin() + static_cast<std::ptrdiff_t>(known));
      std::vector<std::pair<std::string, std::string>> rows;
      const Index samples = 1 + rng.below(12);
      for (Index i = 0; i < samples; ++i) {
        const auto decision = static_cast<std::size_t>(rng.below(static_cast<Index>(known) + 1));
        rows.emplace_back(classes[static_cast<std::size_t>(rng.below(6))],
                          decision == known ? "unknown" : classes[decision]);
      }
      run.add({step, "post", "test"}, learned, rows);
      known = std::min<std::size_t>(6, known + static_cast<std::size_t>(rng.below(3)));
    }
    Forgetting forgetting;
    for (const Phase& phase : run.phases) {
      forgetting.add(view_phase(phase, run.truth));
      EXPECT_EQ(forgetting.at_last(), forgotten_by_hand(run, phase.key.step)) << seed;
    }
  }
}

}  // namespace
}  // namespace tyto
