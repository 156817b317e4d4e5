// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/programme.hpp"

#include <cmath>
#include <numeric>

#include "measure/toy_record.hpp"
#include "measure/toy_tests.hpp"
#include <gmock/gmock.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/measure/run_registry.hpp"
#include "tyto/measure/table.hpp"

namespace tyto {
namespace {

const std::vector<std::string> kProgrammeKnown{"A", "B"};

// Four samples before the change, six after it, three of which are novel.
//   right      1 0 1 1 | 1 0 1 1 0 1
//   p(changed) 0 0 0 0 | 0 0 1 1 1 1
std::vector<ToyRow> ordinary_test() {
  return {{"A", false, false, "A", 0.1F, 1},         {"A", false, false, "B", 0.1F, 1},
          {"B", false, false, "B", 0.5F, 1},  // not above the threshold
          {"B", false, false, "B", 0.2F, 2},         {"A", false, true, "A", 0.3F, 2},
          {"X", true, true, "A", 0.4F, 2},           {"X", true, true, "unknown", 0.9F, 3},
          {"A", false, true, "A", 0.9F, 3},          {"B", false, true, "unknown", 0.9F, 3},
          {"X", true, true, "discovered_0", 0.9F, 3}};
}

ToyTests one_test(const std::vector<ToyRow>& rows, bool with_alarm = true) {
  ToyTests tests;
  tests.add(1, "system", "OND.1", kProgrammeKnown, rows, {}, with_alarm);
  return tests;
}

TestScores scores_of(const std::vector<ToyRow>& rows, const ProgrammeOptions& options = {}) {
  return score_test(one_test(rows).stream(), options);
}

std::vector<ToyRow> with_alarm(std::vector<ToyRow> rows, const std::vector<float>& p) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].p_changed = p[i];
  }
  return rows;
}

TEST(Programme, parts_before_and_after_exactly_at_the_red_light) {
  const TestScores scores = scores_of(ordinary_test());
  EXPECT_EQ(scores.change, 4);
  EXPECT_DOUBLE_EQ(scores.before.value(), 3.0 / 4.0);
  EXPECT_DOUBLE_EQ(scores.after.value(), 4.0 / 6.0);
  EXPECT_DOUBLE_EQ(scores.novel.value(), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(scores.last.value(), 4.0 / 6.0);  // fewer than 100 after the change: all
  EXPECT_DOUBLE_EQ(scores.own_nrp.value(), (4.0 / 6.0) / (3.0 / 4.0));
}

TEST(Programme, delay_counts_the_samples_after_the_change_until_it_is_declared) {
  const TestScores scores = scores_of(ordinary_test());
  EXPECT_EQ(scores.declared, 6);
  EXPECT_EQ(scores.detected, 1.0);
  EXPECT_EQ(scores.early, 0.0);
  EXPECT_EQ(scores.delay, 2.0);
  EXPECT_EQ(scores.alarms_before, 0.0);
  EXPECT_EQ(scores_of(ordinary_test(), {.threshold = 0.35}).detected, 0.0);  // 0.5 > 0.35: early
}

TEST(Programme, detection_at_the_change_and_at_the_last_sample_both_count) {
  const auto at_once = with_alarm(ordinary_test(), {0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(scores_of(at_once).delay, 0.0);
  const auto at_last = with_alarm(ordinary_test(), {0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  EXPECT_EQ(scores_of(at_last).detected, 1.0);
  EXPECT_EQ(scores_of(at_last).delay, 5.0);
}

TEST(Programme, a_change_that_is_never_declared_has_no_delay) {
  const auto never = with_alarm(ordinary_test(), std::vector<float>(10, 0.5F));
  EXPECT_EQ(scores_of(never).detected, 0.0);
  EXPECT_EQ(scores_of(never).early, 0.0);
  EXPECT_FALSE(scores_of(never).delay);
  EXPECT_FALSE(scores_of(never).declared);
}

TEST(Programme, an_early_alarm_spoils_the_detection_and_is_counted_by_its_rises) {
  const auto early = with_alarm(ordinary_test(), {0, 1, 0, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(scores_of(early).early, 1.0);
  EXPECT_EQ(scores_of(early).detected, 0.0);
  EXPECT_FALSE(scores_of(early).delay);
  EXPECT_DOUBLE_EQ(scores_of(early).alarms_before.value(), 2.0 / 4.0);
}

TEST(Programme, calls_of_novelty_are_held_against_the_truth_of_single_samples) {
  const TestScores scores = scores_of(ordinary_test());
  EXPECT_EQ(scores.calls_before, 0.0);
  EXPECT_DOUBLE_EQ(scores.call_precision.value(), 2.0 / 3.0);  // B called unknown is none
  EXPECT_DOUBLE_EQ(scores.call_recall.value(), 2.0 / 3.0);
  auto rows = ordinary_test();
  rows[1].decision = "unknown";  // before the change: no matter of precision
  EXPECT_DOUBLE_EQ(scores_of(rows).calls_before.value(), 1.0 / 4.0);
  EXPECT_DOUBLE_EQ(scores_of(rows).call_precision.value(), 2.0 / 3.0);
}

TEST(Programme, a_novel_class_named_by_feedback_is_right_by_its_name_and_still_called_novel) {
  ToyTests tests;
  tests.add(1, "system", "OND.1", kProgrammeKnown,
            {{"A", false, false, "A", 0, 1},
             {"X", true, true, "unknown", 1, 1},
             {"X", true, true, "X", 1, 2},  // granted by then
             {"X", true, true, "Y", 1, 3},  // another novel class
             {"A", false, true, "Y", 1, 3}},
            {"", "X", "Y"});
  const TestStream stream = tests.stream();
  EXPECT_THAT(stream.right, testing::ElementsAre(1, 1, 1, 0, 0));
  EXPECT_THAT(stream.called_novel, testing::ElementsAre(0, 1, 1, 1, 1));
  EXPECT_THAT(stream.round, testing::ElementsAre(1, 1, 2, 3, 3));
}

TEST(Programme, top_3_looks_at_three_entries_and_is_missing_if_fewer_were_recorded) {
  const TestScores three = scores_of({{"A", false, false, "B unknown A", 0, 1},
                                      {"A", false, false, "B unknown discovered_0", 0, 1},
                                      {"X", true, true, "A B unknown", 0, 1},
                                      {"B", false, true, "A unknown discovered_0", 0, 1}});
  EXPECT_DOUBLE_EQ(three.before3.value(), 0.5);
  EXPECT_DOUBLE_EQ(three.after3.value(), 0.5);
  EXPECT_DOUBLE_EQ(three.novel3.value(), 1.0);
  EXPECT_DOUBLE_EQ(three.before.value(), 0.0);
  EXPECT_FALSE(three.own_nrp);  // nothing right before
  const TestScores one = scores_of(ordinary_test());
  EXPECT_FALSE(one.before3);
  EXPECT_FALSE(one.novel3);
}

TEST(Programme, asymptotic_is_the_last_100_or_a_share_of_those_after_the_change) {
  std::vector<ToyRow> rows;
  for (int i = 0; i < 250; ++i) {  // wrong from the change at 50 until 149
    rows.push_back({"A", false, i >= 50, i < 50 || i >= 150 ? "A" : "B", 0, 1 + i / 50});
  }
  EXPECT_DOUBLE_EQ(scores_of(rows).last.value(), 1.0);
  EXPECT_DOUBLE_EQ(scores_of(rows, {.last = 125}).last.value(), 0.8);
  EXPECT_DOUBLE_EQ(scores_of(rows, {.last_share = 1.0}).last.value(), 0.5);
}

TEST(Programme, a_test_without_change_has_false_alarms_alone) {
  auto rows = ordinary_test();
  for (ToyRow& row : rows) {
    row.novel = row.changed = false;
    row.label = "A";
  }
  const TestScores scores = scores_of(rows);
  EXPECT_FALSE(scores.change);
  EXPECT_FALSE(scores.detected);
  EXPECT_FALSE(scores.after);
  EXPECT_FALSE(scores.last);
  EXPECT_FALSE(scores.novel);
  EXPECT_EQ(scores.early, 1.0);
  EXPECT_DOUBLE_EQ(scores.alarms_before.value(), 0.1);
  EXPECT_DOUBLE_EQ(scores.before.value(), 0.4);
}

TEST(Programme, a_test_that_is_novel_from_its_first_sample_has_nothing_before) {
  const TestScores scores =
      scores_of({{"X", true, true, "unknown", 0.2F, 1}, {"X", true, true, "A", 0.9F, 1}});
  EXPECT_EQ(scores.change, 0);
  EXPECT_FALSE(scores.before);
  EXPECT_FALSE(scores.early);
  EXPECT_FALSE(scores.alarms_before);
  EXPECT_EQ(scores.delay, 1.0);
  EXPECT_DOUBLE_EQ(scores.after.value(), 0.5);
  EXPECT_FALSE(scores.own_nrp);
}

TEST(Programme, without_an_alarm_accuracies_are_left) {
  const TestScores scores = score_test(one_test(ordinary_test(), false).stream());
  EXPECT_FALSE(scores.detected);
  EXPECT_FALSE(scores.early);
  EXPECT_FALSE(scores.alarms_before);
  EXPECT_DOUBLE_EQ(scores.before.value(), 0.75);
}

TEST(Programme, an_empty_stream_has_no_values) {
  const TestScores scores = score_test(TestStream());
  for (const auto& measure : programme_measures()) {
    EXPECT_FALSE(scores.*measure.value) << measure.name;
  }
}

ToyTests three_tests() {
  ToyTests tests;
  tests.add(1, "system", "OND.1", kProgrammeKnown, ordinary_test());
  tests.add(2, "system", "OND.2", kProgrammeKnown,
            with_alarm(ordinary_test(), {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  tests.add(3, "system", "OND.3", kProgrammeKnown,
            with_alarm(ordinary_test(), {0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
  return tests;
}

double row_value(const std::vector<MeasureRow>& rows, const std::string& measure, Index step) {
  for (const MeasureRow& row : rows) {
    if (row.measure == measure && row.step == step) {
      return row.value.value_or(-1.0);
    }
  }
  ADD_FAILURE() << measure << " has no row at step " << step;
  return -2.0;
}

TEST(Programme, stands_in_the_rows_of_a_run_by_test_and_over_all_tests) {
  const ToyRecord record = three_tests().record();
  const auto rows = measure_run(record, {.measures = {"M1", "change_detected", "M2.1"}});
  EXPECT_EQ(row_value(rows, "change_detection_delay", 1), 2.0);
  EXPECT_EQ(row_value(rows, "change_detection_delay", 2), -1.0);         // missing
  EXPECT_EQ(row_value(rows, "change_detection_delay", kAllSteps), 1.0);  // (2 + 0) / 2
  EXPECT_DOUBLE_EQ(row_value(rows, "change_detected", kAllSteps), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(row_value(rows, "change_early_alarm", kAllSteps), 1.0 / 3.0);
  EXPECT_EQ(rows.size(), 12U);
  for (const MeasureRow& row : rows) {
    EXPECT_EQ(row.phase + row.split + row.view, "systemtestraw");
    EXPECT_EQ(row.samples, row.step == kAllSteps ? 30 : 10);
  }
}

TEST(Programme, gives_nothing_for_a_run_that_is_not_one_of_tests) {
  const ToyRecord record({worked_phase({1, "pre", "test"})}, worked_truth());
  for (const RunMeasureSpec& spec : run_measure_specs()) {
    EXPECT_TRUE(spec.values(RunView(record)).empty()) << spec.name;
  }
}

TEST(Programme, refuses_annotations_that_are_no_flags_and_mixed_tests) {
  ToyTests bad = three_tests();
  bad.truth.annotations["novel"][3] = "yes";
  EXPECT_THROW((void)bad.stream(), Error);
  bad = three_tests();
  bad.truth.annotations["test"][3] = "OND.9";
  EXPECT_THROW((void)bad.stream(), Error);
}

TEST(Programme, summary_is_the_mean_over_tests_with_an_interval_over_tests) {
  const ToyRecord record = three_tests().record();
  const auto tests = programme_scores(RunView(record)).at("system");
  const auto rows = programme_summary(tests, {.replicates = 400, .seed = 3});
  ASSERT_EQ(rows.size(), programme_measures().size());
  EXPECT_EQ(rows[0].programme_name, "M2");
  EXPECT_EQ(rows[0].tests, 3);
  EXPECT_DOUBLE_EQ(rows[0].value.value(), 2.0 / 3.0);
  EXPECT_EQ(rows[0].interval.low, 0.0);
  EXPECT_EQ(rows[0].interval.high, 1.0);
  EXPECT_EQ(rows[2].tests, 2);
  EXPECT_DOUBLE_EQ(rows[2].value.value(), 1.0);
  const auto again = programme_summary(tests, {.replicates = 400, .seed = 3});
  EXPECT_EQ(rows[2].interval.low, again[2].interval.low);
  const std::span<const TestScores> one(tests.data(), 1);
  EXPECT_FALSE(programme_summary(one)[0].interval.low);  // one test tells nothing about others
  EXPECT_FALSE(programme_summary({})[0].value);
}

TEST(Programme, interval_of_a_mean_covers_what_it_should) {
  // Two hundred sets of 30 tests with accuracies from one distribution of mean 0.5.
  Rng rng(5, "coverage");
  Index covered = 0;
  for (int set = 0; set < 200; ++set) {
    std::vector<TestScores> tests(30);
    for (TestScores& test : tests) {
      test.before = rng.uniform();
    }
    const auto rows = programme_summary(tests, {.replicates = 200});
    covered += rows[4].interval.low <= 0.5 && 0.5 <= rows[4].interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, 178);  // 190 expected; percentile intervals of 30 are a little short
}

TEST(Programme, baseline_metrics_pair_tests_by_their_id) {
  TestScores a, b, lone;
  a.test = "OND.1";
  a.after = 0.6;
  a.last = 0.8;
  b.test = "OND.2";
  b.after = 0.3;
  b.last = 0.2;
  lone.test = "OND.3";
  lone.last = 1.0;
  TestScores x = b, y = a;  // the baseline's, in another order
  x.before = 0.5;
  x.after = 0.3;
  x.last = 0.6;
  y.before = 0.4;
  y.after = 0.2;
  y.last = 0.4;
  const std::vector<TestScores> agent{a, b, lone}, baseline{x, y};
  const auto scores = against_baseline(agent, baseline);
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_DOUBLE_EQ(scores[0].nrp.value(), 0.8 / 0.4);
  EXPECT_DOUBLE_EQ(scores[0].opti.value(), 0.6 / 0.8);
  EXPECT_DOUBLE_EQ(scores[1].nrp.value(), 0.2 / 0.5);
  const auto rows = baseline_summary(scores);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].programme_name, "M3");
  EXPECT_DOUBLE_EQ(rows[0].value.value(), (2.0 + 0.4) / 2.0);
  EXPECT_EQ(rows[2].programme_name, "M5");
  EXPECT_DOUBLE_EQ(rows[2].value.value(), (0.75 + 0.5) / 2.0);
  EXPECT_EQ(rows[3].name, "apti");
  EXPECT_DOUBLE_EQ(rows[3].value.value(), 1.0 / 1.0);  // (0.8 + 0.2) / (0.4 + 0.6)
  EXPECT_FALSE(rows[1].value);                         // no top-3 values
}

TEST(Programme, differences_are_taken_test_by_test) {
  TestScores a, b, lone;
  a.test = "OND.1";
  a.after = 0.5;
  a.delay = 10.0;
  b.test = "OND.2";
  b.after = 0.7;
  lone.test = "OND.3";
  lone.after = 0.0;
  TestScores x = a, y = b;
  x.after = 0.6;
  x.delay = 0.0;
  y.after = 0.9;
  y.delay = 0.0;
  const auto rows = programme_differences(std::vector{a, b, lone}, std::vector{y, x});
  EXPECT_EQ(rows[2].name, "change_detection_delay");
  EXPECT_EQ(rows[2].tests, 1);  // the second had no delay to compare with
  EXPECT_EQ(rows[2].value, -10.0);
  EXPECT_EQ(rows[6].name, "accuracy_after_change");
  EXPECT_EQ(rows[6].tests, 2);
  EXPECT_NEAR(rows[6].value.value(), 0.15, 1e-12);
  EXPECT_NEAR(rows[6].interval.low.value(), 0.1, 1e-12);
  EXPECT_NEAR(rows[6].interval.high.value(), 0.2, 1e-12);
}

TEST(Programme, nrp_is_called_m4_where_the_moment_was_given) {
  BaselineScores test;
  test.at.phase = "given";
  test.nrp = 1.0;
  EXPECT_EQ(baseline_summary(std::vector{test})[0].programme_name, "M4");
}

TEST(Programme, a_baseline_that_is_never_right_gives_no_ratio) {
  TestScores agent, baseline;
  agent.last = agent.after = 0.5;
  baseline.before = baseline.after = baseline.last = 0.0;
  const auto scores = against_baseline(std::vector{agent}, std::vector{baseline});
  EXPECT_FALSE(scores[0].nrp);
  EXPECT_EQ(scores[0].opti, 1.0);
  EXPECT_FALSE(baseline_summary(scores)[3].value);
}

TEST(Programme, a_baseline_of_one_setting_serves_every_setting) {
  ScoresBySetting baseline;
  EXPECT_THROW((void)baseline_tests(baseline, "system"), Error);
  baseline["system"].resize(1);
  EXPECT_EQ(baseline_tests(baseline, "given").size(), 1U);
  baseline["given"].resize(2);
  EXPECT_EQ(baseline_tests(baseline, "given").size(), 2U);
  EXPECT_THROW((void)baseline_tests(baseline, "ignored"), Error);
}

// Straight from the definitions, sample by sample.
TEST(Programme, equals_brute_force_on_random_streams) {
  Rng rng(11, "programme");
  const std::vector<std::string> names{"A", "B", "X", "unknown", "discovered_0"};
  for (int trial = 0; trial < 200; ++trial) {
    const Index n = 1 + rng.below(30), change = rng.below(n + 1);
    std::vector<ToyRow> rows;
    for (Index i = 0; i < n; ++i) {
      const bool changed = i >= change, novel = changed && rng.below(2) == 0;
      ToyRow row{novel ? "X" : names[at(rng.below(2))],   novel,    changed, "",
                 static_cast<float>(rng.below(3)) * 0.3F, 1 + i / 7};
      const Index call = rng.below(4);
      row.decision = names[at(call < 2 ? call : call + 1)];
      rows.push_back(row);
    }
    const TestScores scores = scores_of(rows, {.threshold = 0.5, .last = 5});
    Index first = n, right_before = 0, right_after = 0, right_last = 0;
    for (Index i = n - 1; i >= 0; --i) {
      const ToyRow& row = rows[at(i)];
      first = row.p_changed > 0.5F ? i : first;
      const bool right = row.novel ? row.decision == "unknown" || row.decision == "discovered_0"
                                   : row.decision == row.label;
      (i < change ? right_before : right_after) += right ? 1 : 0;
      right_last += right && i >= std::max(change, n - 5) ? 1 : 0;
    }
    const auto share = [](Index part, Index whole) {
      return whole == 0 ? std::nullopt
                        : std::optional(static_cast<double>(part) / static_cast<double>(whole));
    };
    EXPECT_EQ(scores.before, share(right_before, change));
    EXPECT_EQ(scores.after, share(right_after, n - change));
    EXPECT_EQ(scores.last, share(right_last, std::min<Index>(5, n - change)));
    EXPECT_EQ(scores.detected,
              change == n ? std::nullopt : std::optional(first >= change && first < n ? 1.0 : 0.0));
    EXPECT_EQ(scores.delay, change < n && first >= change && first < n
                                ? std::optional(static_cast<double>(first - change))
                                : std::nullopt);
    EXPECT_EQ(scores.early, change == 0 ? std::nullopt : std::optional(first < change ? 1.0 : 0.0));
  }
}

}  // namespace
}  // namespace tyto
