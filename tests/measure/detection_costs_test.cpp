// SPDX-License-Identifier: Apache-2.0
#include "measure/detection_scores.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/measure/detection/costs.hpp"
#include "tyto/measure/detection/summary.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::drawn_scores;
using testing_support::DrawnScores;
using testing_support::enumerated;
using testing_support::Enumerated;

// Novel 4, 2; normal 3, 1, 0, 0: recall 1/2, 1/2, 1, 1, 1 at false alarms 0, 1/4, 1/4, 2/4, 1.
const DrawnScores kSix{{4, 2, 3, 1, 0, 0}, {1, 1, 0, 0, 0, 0}};

DetectionCurve curve_for_costs(const DrawnScores& drawn) {
  return detection_curve(drawn.score, drawn.is_novel);
}

TEST(DetectionCosts, choose_the_cheapest_threshold) {
  const DetectionCurve curve = curve_for_costs(kSix);
  // At 2: 0.1 * 0 + 0.9 * 1/4 * 1; at 4: 0.1 * 1/2 * 10.
  const OperatingPoint dear = *at_least_cost(curve, {10, 1, 0.1}, 1.0);
  EXPECT_EQ(dear.threshold, 2);
  EXPECT_DOUBLE_EQ(expected_cost(dear, {10, 1, 0.1}), 0.225);
  const OperatingPoint cheap = *at_least_cost(curve, {1, 1, 0.1}, 1.0);
  EXPECT_EQ(cheap.threshold, 4);
  EXPECT_DOUBLE_EQ(expected_cost(cheap, {1, 1, 0.1}), 0.05);
  EXPECT_DOUBLE_EQ(cost_without_detector({1, 1, 0.1}), 0.1);
  EXPECT_DOUBLE_EQ(cost_without_detector({100, 1, 0.1}), 0.9);
}

TEST(DetectionCosts, may_be_least_in_silence) {
  // The greatest score is normal, and so is every other alarm worth less than it costs.
  const DetectionCurve curve = curve_for_costs({{3, 2, 1}, {0, 1, 0}});
  EXPECT_TRUE(at_least_cost(curve, {1, 10, 0.5}, 1.0)->never());
  EXPECT_TRUE(at_least_cost(curve, {1, 1, 0.0}, 1.0)->never());
}

TEST(DetectionCosts, that_mean_nothing_are_refused) {
  const DetectionCurve curve = curve_for_costs(kSix);
  EXPECT_THROW(at_least_cost(curve, {-1, 1, 0.5}, 1.0), Error);
  EXPECT_THROW(at_least_cost(curve, {0, 0, 0.5}, 1.0), Error);
  EXPECT_THROW(at_least_cost(curve, {1, 1, 1.5}, 1.0), Error);
  EXPECT_FALSE(at_least_cost(curve_for_costs({{1}, {1}}), {1, 1, 0.5}, 1.0));
}

TEST(CostCurve, is_the_lower_envelope_of_all_thresholds) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const DrawnScores drawn = drawn_scores(seed, 60, seed % 2 == 0 ? 7 : 300);
    const DetectionCurve curve = curve_for_costs(drawn);
    const auto found = cost_curve(curve, 20);
    ASSERT_EQ(found.size(), 21U);
    for (const CostCurvePoint& point : found) {
      double least = point.share;  // of silence
      for (const Enumerated& at : enumerated(drawn)) {
        const double miss = 1 - at.novel / static_cast<double>(curve.novel);
        const double alarm = at.normal / static_cast<double>(curve.normal);
        least = std::min(least, point.share * miss + (1 - point.share) * alarm);
      }
      EXPECT_NEAR(point.cost, least, 1e-12);
      const OperatingPoint there = point_at(curve, point.threshold, 1.0);
      EXPECT_NEAR(point.share * (1 - *there.recall) + (1 - point.share) * (1 - *there.normal_kept),
                  least, 1e-12);
    }
    EXPECT_EQ(found.front().cost, 0.0);
    EXPECT_EQ(found.back().cost, 0.0);
  }
}

TEST(AlarmBudget, is_kept_by_the_lowest_threshold_that_can) {
  const DetectionCurve curve = curve_for_costs(kSix);
  // 1000 frames a day, 1 in 10 novel: 50, 50 + 225, 100 + 225 alarms at 4, 3, 2.
  const AlarmBudget budget{325, 1000, 0.1};
  const OperatingPoint point = *within_budget(curve, budget, 1.0);
  EXPECT_EQ(point.threshold, 2);
  EXPECT_DOUBLE_EQ(alarms_expected(point, budget), 325);
  EXPECT_EQ(within_budget(curve, {324, 1000, 0.1}, 1.0)->threshold, 3);
  EXPECT_TRUE(within_budget(curve, {49, 1000, 0.1}, 1.0)->never());
  EXPECT_THROW(within_budget(curve, {1, 0, 0.1}, 1.0), Error);
}

TEST(DetectionSummary, chooses_on_validation_and_measures_on_the_test) {
  const DetectionCurve validation = curve_for_costs({{9, 5, 3, 1}, {1, 1, 0, 0}});
  const DetectionCurve test = curve_for_costs({{9, 4, 6, 1}, {1, 1, 0, 0}});
  DetectionOptions options;
  options.recall = 1.0;
  const DetectionSummary summary = summarise_detection(test, options, &validation);
  EXPECT_EQ(summary.at_recall->threshold, 5);
  EXPECT_EQ(summary.at_recall->recall, 0.5);
  EXPECT_EQ(summary.at_recall->normal_kept, 0.5);
  EXPECT_EQ(summarise_detection(test, options).at_recall->threshold, 4);
}

TEST(DetectionSummary, says_what_a_reader_should_know) {
  DetectionOptions options;
  const auto notes = [&](const DrawnScores& drawn) {
    return summarise_detection(curve_for_costs(drawn), options).notes;
  };
  EXPECT_THAT(notes({{1, 1, 1}, {1, 0, 0}}), Contains(HasSubstr("all scores are equal")));
  EXPECT_THAT(notes({{1, 2}, {0, 0}}), Contains(HasSubstr("all 2 measured samples are normal")));
  EXPECT_THAT(notes({{1, 2}, {1, 1}}), Contains(HasSubstr("all 2 measured samples are novel")));
  EXPECT_THAT(notes({}), Contains(HasSubstr("no measured samples at all")));
  EXPECT_THAT(notes(kSix), Contains(AllOf(HasSubstr("1 in 100 cannot be shown with so few"),
                                          HasSubstr("4 measured normal"), HasSubstr("299"))));
  EXPECT_THAT(notes({{5, 4, 1, 1, 1}, {1, 0, 1, 0, 0}}),
              Contains(HasSubstr("for recall 95 % lies on a tie of 3 samples")));
  options.false_alarm_rates = {0.95};
  EXPECT_THAT(notes({{3, 2, 1}, {1, 0, 0}}), IsEmpty());
}

TEST(DetectionIntervals, draw_whole_units) {
  // Two novel and two normal samples a unit: a resample of whole units has them in equal numbers.
  const DrawnScores drawn{{4, 3, 2, 1, 4, 3, 2, 1}, {1, 1, 0, 0, 1, 1, 0, 0}};
  const std::vector<Index> unit{0, 0, 0, 0, 1, 1, 1, 1};
  Progress quiet(nullptr);
  const auto intervals = detection_intervals(drawn.score, drawn.is_novel, unit, {.replicates = 50},
                                             quiet, [](const DetectionCurve& curve) {
                                               return std::vector<double>{
                                                   static_cast<double>(curve.novel - curve.normal),
                                                   static_cast<double>(curve.novel)};
                                             });
  EXPECT_EQ(intervals[0].low, 0.0);
  EXPECT_EQ(intervals[0].high, 0.0);
  EXPECT_EQ(intervals[1].low, 4.0);
  EXPECT_EQ(intervals[1].high, 4.0);
}

}  // namespace
}  // namespace tyto
