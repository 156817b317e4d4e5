// SPDX-License-Identifier: Apache-2.0
// Detection measured of a whole run: thresholds from validate, samples and episodes of test.
#include "measure/toy_record.hpp"
#include <gtest/gtest.h>

#include "tyto/measure/detection/phase_scores.hpp"
#include "tyto/measure/run_registry.hpp"
#include "tyto/measure/table.hpp"

namespace tyto {
namespace {

Phase scored_phase(const std::string& split, const std::vector<float>& novelty, Index first) {
  Phase phase =
      toy_phase({0, "detect", split}, {"A"}, std::vector<std::string>(novelty.size(), "A"), first);
  phase.novelty = novelty;
  return phase;
}

std::optional<double> value_in(const std::vector<MeasureRow>& rows, const std::string& name) {
  for (const MeasureRow& row : rows) {
    if (row.measure == name && row.step == kAllSteps && row.phase == "detect") {
      return row.value;
    }
  }
  ADD_FAILURE() << "no row of " << name;
  return {};
}

// 100 normal validate samples with scores 1 .. 100, then a test with normal scores 50, 99, 100, 200
// and novel ones 10, 99.5, 100, 300.
ToyRecord threshold_record() {
  std::vector<float> validate;
  Truth truth;
  for (int i = 1; i <= 100; ++i) {
    validate.push_back(static_cast<float>(i));
    truth.label.emplace_back("A");
  }
  for (const char* label : {"A", "A", "A", "A", "X", "X", "X", "X"}) {
    truth.label.emplace_back(label);
  }
  return {{scored_phase("validate", validate, 0),
           scored_phase("test", {50, 99, 100, 200, 10, 99.5, 100, 300}, 100)},
          truth};
}

TEST(DetectionOfRuns, takes_thresholds_from_validate_and_judges_them_on_test) {
  const ToyRecord record = threshold_record();
  const auto rows = measure_run(record, {.measures = {}});
  // 1 of 100 validate samples reaches 100, and that is the threshold.
  EXPECT_DOUBLE_EQ(value_in(rows, "recall_at_1pct").value(), 0.5);
  EXPECT_DOUBLE_EQ(value_in(rows, "false_alarms_at_1pct").value(), 0.5);
  // None of 100 may be called novel at 1 in 1,000: above all of validate.
  EXPECT_DOUBLE_EQ(value_in(rows, "recall_at_01pct").value(), 0.25);
  EXPECT_DOUBLE_EQ(value_in(rows, "false_alarms_at_01pct").value(), 0.25);
  EXPECT_DOUBLE_EQ(value_in(rows, "tnr_at_95_tpr").value(), 0.0) << "all novel ones: from 10 on";
  EXPECT_DOUBLE_EQ(value_in(rows, "distinct_scores").value(), 7.0);
  EXPECT_FALSE(value_in(rows, "episode_auroc")) << "the data name no groups";
}

TEST(DetectionOfRuns, promises_nothing_without_validate) {
  ToyRecord record = threshold_record();
  record.all.erase(record.all.begin());
  const auto rows = measure_run(record, {.measures = {}});
  EXPECT_FALSE(value_in(rows, "recall_at_1pct"));
  EXPECT_TRUE(value_in(rows, "tnr_at_95_tpr"));
}

// Two normal episodes and two novel ones of different kinds, frames out of order.
ToyRecord episode_record() {
  Truth truth;
  truth.label = {"A", "A", "A", "A", "A", "A", "X", "A", "Y", "Y"};
  truth.group = {"n1", "n1", "n1", "n2", "n2", "x1", "x1", "x1", "y1", "y1"};
  truth.time = {2, 1, 3, 1, 2, 1, 2, 3, 1, 2};
  return {{scored_phase("test", {1, 2, 9, 3, 9, 1, 5, 0, 2, 9}, 0)}, truth};
}

TEST(DetectionOfRuns, makes_episodes_of_groups_in_the_order_of_time) {
  const ToyRecord record = episode_record();
  const PhaseScores scores =
      phase_scores(view_phase(record.all[0], *record.labels), *record.labels);
  ASSERT_EQ(scores.episodes.episodes.size(), 4U);
  EXPECT_EQ(scores.episode_id, (std::vector<std::string>{"n1", "n2", "x1", "y1"}));
  EXPECT_EQ(scores.episodes.episodes[0].score, (std::vector<double>{2, 1, 9}));
  EXPECT_EQ(scores.rows[0], (std::vector<Index>{1, 0, 2}));
  EXPECT_FALSE(scores.episodes.episodes[0].is_novel);
  EXPECT_TRUE(scores.episodes.episodes[2].is_novel) << "one of its frames is";
  EXPECT_EQ(scores.episodes.types.size(), 3U) << "normal, X, Y";
}

TEST(DetectionOfRuns, measures_episodes_by_their_greatest_score_but_the_last) {
  const auto rows = measure_run(episode_record(), {.measures = {}});
  // Normal: 2, 3. Novel: 5, 2. Pairs in order: 5 > 2, 5 > 3; 2 = 2 counts half; 2 < 3.
  EXPECT_DOUBLE_EQ(value_in(rows, "episode_auroc").value(), 2.5 / 4);
  // Threshold 2 finds both: x1 at its second frame, y1 at its first.
  EXPECT_DOUBLE_EQ(value_in(rows, "episode_delay").value(), 0.5);
  EXPECT_DOUBLE_EQ(value_in(rows, "episodes_undetected").value(), 0.0);
  EXPECT_FALSE(value_in(rows, "episode_auroc_cusum")) << "there are no normal frames to compare";
}

TEST(DetectionOfRuns, tells_nothing_of_other_protocols) {
  Phase phase = toy_phase({0, "post", "test"}, {"A"}, {"A", "A"});
  phase.novelty = {1, 2};
  const ToyRecord record{{phase}, toy_truth({"A", "X"})};
  for (const MeasureRow& row : measure_run(record, {.measures = {}})) {
    EXPECT_NE(row.measure, "recall_at_1pct");
  }
}

}  // namespace
}  // namespace tyto
