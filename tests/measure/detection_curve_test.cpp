// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "measure/detection_scores.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/measure/detection/areas.hpp"
#include "tyto/measure/detection/curve.hpp"
#include "tyto/measure/detection/operating_point.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::drawn_scores;
using testing_support::DrawnScores;
using testing_support::enumerated;
using testing_support::Enumerated;
using testing_support::pairs_in_order;

DetectionCurve curve_of(const DrawnScores& drawn) {
  return detection_curve(drawn.score, drawn.is_novel);
}

// Novel 5, 3, 3, 1; normal 4, 3, 0, 0.
const DrawnScores kEight{{5, 3, 3, 1, 4, 3, 0, 0}, {1, 1, 1, 1, 0, 0, 0, 0}};

TEST(DetectionCurve, has_a_point_for_each_distinct_score) {
  const DetectionCurve curve = curve_of(kEight);
  ASSERT_EQ(curve.points.size(), 5);  // 5, 4, 3, 1, 0
  const std::vector<std::array<double, 3>> expected{
      {5, 1, 0}, {4, 1, 1}, {3, 3, 2}, {1, 4, 2}, {0, 4, 4}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(curve.points[i].threshold, expected[i][0]);
    EXPECT_EQ(curve.points[i].novel, expected[i][1]);
    EXPECT_EQ(curve.points[i].normal, expected[i][2]);
  }
}

TEST(DetectionCurve, names_the_row_of_a_score_that_is_not_a_number) {
  try {
    detection_curve(std::vector<double>{1, 2, std::nan("")}, std::vector<std::uint8_t>{1, 0, 0});
    FAIL() << "was taken";
  } catch (const Error& problem) {
    EXPECT_STREQ(problem.what(), "the score of row 3 is not a number");
  }
  EXPECT_THROW(detection_curve(std::vector<double>{1}, std::vector<std::uint8_t>{}), Error);
}

TEST(DetectionCurve, ranks_infinities) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(auroc(curve_of({{inf, 0, -inf}, {1, 0, 0}})), 1.0);
  EXPECT_EQ(auroc(curve_of({{-inf, 0, -inf}, {1, 0, 0}})), 0.25);
}

TEST(DetectionCurve, of_a_resample_is_that_of_the_samples_drawn) {
  const DrawnScores drawn = drawn_scores(3, 60, 9);
  Rng rng(4, "copies");
  std::vector<std::uint32_t> copies;
  DrawnScores repeated;
  for (std::size_t i = 0; i < drawn.score.size(); ++i) {
    copies.push_back(static_cast<std::uint32_t>(rng.below(3)));
    for (std::uint32_t c = 0; c < copies.back(); ++c) {
      repeated.score.push_back(drawn.score[i]);
      repeated.is_novel.push_back(drawn.is_novel[i]);
    }
  }
  const DetectionCurve resampled = ResampledCurve(drawn.score, drawn.is_novel).draw(copies);
  const DetectionCurve direct = curve_of(repeated);
  ASSERT_EQ(resampled.points.size(), direct.points.size());
  EXPECT_EQ(resampled.novel, direct.novel);
  EXPECT_EQ(resampled.normal, direct.normal);
  for (std::size_t i = 0; i < direct.points.size(); ++i) {
    EXPECT_EQ(resampled.points[i].threshold, direct.points[i].threshold);
    EXPECT_EQ(resampled.points[i].novel, direct.points[i].novel);
    EXPECT_EQ(resampled.points[i].normal, direct.points[i].normal);
  }
}

TEST(ScoreTies, count_scores_and_who_shares_them) {
  const ScoreTies ties = score_ties(curve_of(kEight));
  EXPECT_EQ(ties.distinct, 5);
  EXPECT_EQ(ties.tied, 5);  // three at 3, two at 0
  EXPECT_EQ(ties.largest, 3);
  EXPECT_EQ(ties.largest_score, 3);
}

TEST(DetectionAreas, of_eight_samples_worked_by_hand) {
  const DetectionCurve curve = curve_of(kEight);
  // 5 beats 4 normal; each 3 beats 2 and ties 1; 1 beats 2: 4 + 2.5 + 2.5 + 2 of 16.
  EXPECT_DOUBLE_EQ(*auroc(curve), 11.0 / 16.0);
  // Precision 1, 1/2, 3/5, 4/6, 4/8 at recall 1/4, 1/4, 3/4, 1, 1.
  EXPECT_DOUBLE_EQ(*average_precision(curve, 1.0), (1.0 + 2 * 0.6 + 4.0 / 6.0) / 4.0);
  EXPECT_DOUBLE_EQ(*precision_recall_trapezoids(curve, 1.0),
                   (1.0 + 2 * (0.5 + 0.6) / 2 + (0.6 + 4.0 / 6.0) / 2) / 4.0);
}

TEST(DetectionAreas, are_those_of_plain_enumeration_under_any_prior) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const DrawnScores drawn = drawn_scores(seed, 80, seed % 2 == 0 ? 6 : 1000);
    const DetectionCurve curve = curve_of(drawn);
    EXPECT_NEAR(*auroc(curve), pairs_in_order(drawn), 1e-12);
    for (const double prior : {0.25, 0.85}) {
      const double w = normal_weight(curve, prior);
      double steps = 0, lines = 0, recall = 0, last = 1;
      for (const Enumerated& at : enumerated(drawn)) {
        const double tpr = at.novel / static_cast<double>(curve.novel);
        const double fpr = at.normal / static_cast<double>(curve.normal);
        // The closed form: weights cancel.
        const double ppv = prior * tpr / (prior * tpr + (1 - prior) * fpr);
        steps += (tpr - recall) * ppv;
        lines += (tpr - recall) * (ppv + last) / 2;
        recall = tpr;
        last = ppv;
      }
      EXPECT_NEAR(*average_precision(curve, w), steps, 1e-12);
      EXPECT_NEAR(*precision_recall_trapezoids(curve, w), lines, 1e-12);
    }
  }
}

TEST(DetectionAreas, reversed_scores_give_one_minus_auroc) {
  DrawnScores drawn = drawn_scores(5, 100, 7);
  const double right = *auroc(curve_of(drawn));
  for (double& score : drawn.score) {
    score = -score;
  }
  EXPECT_NEAR(*auroc(curve_of(drawn)), 1.0 - right, 1e-12);
}

TEST(DetectionAreas, are_missing_where_one_kind_is) {
  for (const std::uint8_t kind : {std::uint8_t{0}, std::uint8_t{1}}) {
    const DetectionCurve curve = curve_of({{1, 2}, {kind, kind}});
    EXPECT_FALSE(auroc(curve));
    EXPECT_FALSE(average_precision(curve, 1.0));
    EXPECT_FALSE(precision_recall_trapezoids(curve, 1.0));
    EXPECT_FALSE(at_precision(curve, 0.8, ThresholdRule::paper, 1.0));
  }
  EXPECT_FALSE(auroc(curve_of({})));
}

TEST(DetectionAreas, of_constant_scores_are_those_of_chance) {
  const DetectionCurve curve = curve_of({{7, 7, 7, 7}, {1, 0, 0, 0}});
  EXPECT_EQ(auroc(curve), 0.5);
  EXPECT_EQ(average_precision(curve, 1.0), 0.25);
  EXPECT_EQ(precision_recall_trapezoids(curve, 1.0), (1 + 0.25) / 2);  // a line across the tie
  EXPECT_EQ(at_recall(curve, 0.95, ThresholdRule::paper, 1.0)->normal_kept, 0.0);
  EXPECT_TRUE(at_precision(curve, 0.8, ThresholdRule::max_recall, 1.0)->never());
}

TEST(OperatingPoint, of_a_recall_is_the_strictest_that_reaches_it) {
  const DetectionCurve curve = curve_of(kEight);
  const OperatingPoint point = *at_recall(curve, 0.75, ThresholdRule::paper, 1.0);
  EXPECT_EQ(point.threshold, 3);
  EXPECT_EQ(point.recall, 0.75);
  EXPECT_EQ(point.normal_kept, 0.5);
  EXPECT_DOUBLE_EQ(point.precision, 0.6);
  EXPECT_EQ(at_recall(curve, 0.76, ThresholdRule::paper, 1.0)->threshold, 1);
  EXPECT_THROW(at_recall(curve, 1.5, ThresholdRule::paper, 1.0), Error);
}

TEST(OperatingPoint, of_a_precision_differs_by_the_rule) {
  // Precision 1, 1, 2/3, 3/4, 4/5, 4/6 from the strictest on.
  const DetectionCurve curve = curve_of({{9, 8, 7, 6, 5, 4}, {1, 1, 0, 1, 1, 0}});
  EXPECT_EQ(at_precision(curve, 0.75, ThresholdRule::max_recall, 1.0)->threshold, 5);
  EXPECT_EQ(at_precision(curve, 0.75, ThresholdRule::paper, 1.0)->threshold, 6);
  // Both points of precision 1 reach it; of equal ones the lowest threshold.
  EXPECT_EQ(at_precision(curve, 0.9, ThresholdRule::paper, 1.0)->threshold, 8);
  EXPECT_EQ(at_precision(curve, 0.8, ThresholdRule::max_recall, 1.0)->threshold, 5);  // just 0.8
}

TEST(OperatingPoint, equal_precisions_are_equal_whatever_the_rounding) {
  // 1 of 3 and 3 of 9 novel alarms at a weight of 0.1: 1 / 1.2 and 3 / 3.6, not the same double.
  const DetectionCurve curve =
      curve_of({{9, 9, 9, 8, 8, 8, 8, 8, 8, 1}, {1, 0, 0, 1, 1, 0, 0, 0, 0, 0}});
  EXPECT_EQ(at_precision(curve, 0.82, ThresholdRule::paper, 0.1)->threshold, 8);
}

TEST(OperatingPoint, early2022_reads_a_curve_without_points_on_lines) {
  // Counts (novel, normal): (1,0) (2,0) (3,0) (3,1): (2,0) lies between its neighbours.
  const DetectionCurve curve = curve_of({{9, 8, 7, 6}, {1, 1, 1, 0}});
  EXPECT_EQ(at_recall(curve, 0.5, ThresholdRule::paper, 1.0)->threshold, 8);
  EXPECT_EQ(at_recall(curve, 0.5, ThresholdRule::early2022, 1.0)->threshold, 7);
  // (1,0) (1,1) (1,2) (1,3): the threshold of precision 1/2 is dropped, the last kept before it
  // is the first.
  const DetectionCurve falling = curve_of({{9, 8, 7, 6}, {1, 0, 0, 0}});
  EXPECT_EQ(at_precision(falling, 0.5, ThresholdRule::max_recall, 1.0)->threshold, 8);
  EXPECT_EQ(at_precision(falling, 0.5, ThresholdRule::early2022, 1.0)->threshold, 9);
  EXPECT_EQ(at_precision(falling, 0.25, ThresholdRule::early2022, 1.0)->threshold, 6);
}

TEST(OperatingPoint, is_silence_where_no_threshold_is_precise_enough) {
  const DetectionCurve curve = curve_of({{3, 2, 1}, {0, 1, 0}});
  for (const ThresholdRule rule :
       {ThresholdRule::max_recall, ThresholdRule::paper, ThresholdRule::early2022}) {
    const OperatingPoint point = *at_precision(curve, 0.8, rule, 1.0);
    EXPECT_TRUE(point.never());
    EXPECT_DOUBLE_EQ(point.threshold, 3 + 1e-4);
    EXPECT_EQ(point.recall, 0.0);
    EXPECT_EQ(point.normal_kept, 1.0);
    EXPECT_EQ(point.precision, 1.0);
  }
}

TEST(OperatingPoint, of_a_false_alarm_rate_is_the_lowest_threshold_within_it) {
  const DetectionCurve curve = curve_of(kEight);
  EXPECT_EQ(at_false_alarm_rate(curve, 0.5, 1.0)->threshold, 1);
  EXPECT_EQ(at_false_alarm_rate(curve, 0.25, 1.0)->threshold, 4);
  EXPECT_EQ(at_false_alarm_rate(curve, 0.2, 1.0)->threshold, 5);
  EXPECT_TRUE(at_false_alarm_rate(curve_of({{3, 2}, {0, 1}}), 0.2, 1.0)->never());
  // Normal samples alone are enough to set a rate; there is no recall to speak of.
  const auto alone = at_false_alarm_rate(curve_of({{1, 2, 3, 4}, {0, 0, 0, 0}}), 0.25, 1.0);
  EXPECT_EQ(alone->threshold, 4);
  EXPECT_FALSE(alone->recall);
  EXPECT_FALSE(at_false_alarm_rate(curve_of({{1, 2}, {1, 1}}), 0.25, 1.0));
}

TEST(OperatingPoint, of_any_threshold_counts_scores_at_or_above_it) {
  const DetectionCurve curve = curve_of(kEight);
  EXPECT_EQ(point_at(curve, 3, 1.0).novel_alarms, 3);
  EXPECT_EQ(point_at(curve, 3.5, 1.0).novel_alarms, 1);
  EXPECT_EQ(point_at(curve, 3.5, 1.0).false_alarms, 1);
  EXPECT_TRUE(point_at(curve, 5.5, 1.0).never());
  EXPECT_EQ(point_at(curve, -1, 1.0).false_alarms, 4);
}

TEST(OperatingPoint, is_that_of_plain_enumeration) {
  for (std::uint64_t seed = 100; seed < 130; ++seed) {
    const DrawnScores drawn = drawn_scores(seed, 70, seed % 2 == 0 ? 8 : 500);
    const DetectionCurve curve = curve_of(drawn);
    const double w = normal_weight(curve, 0.3);
    const std::vector<Enumerated> all = enumerated(drawn);
    const auto precision = [&](const Enumerated& at) {
      return at.novel / (at.novel + w * at.normal);
    };
    for (const double target : {0.35, 0.5, 0.8}) {
      const Enumerated* lowest = nullptr;
      const Enumerated* smallest = nullptr;
      const Enumerated* first = nullptr;
      for (const Enumerated& at : all) {
        if (precision(at) >= target) {
          lowest = &at;
          smallest =
              smallest == nullptr || precision(at) <= precision(*smallest) + 1e-13 ? &at : smallest;
        }
        first =
            first == nullptr && at.novel / static_cast<double>(curve.novel) >= target ? &at : first;
      }
      const auto check = [&](const OperatingPoint& found, const Enumerated* expected) {
        EXPECT_EQ(found.never(), expected == nullptr);
        if (expected != nullptr) {
          EXPECT_EQ(found.threshold, expected->threshold);
          EXPECT_EQ(static_cast<double>(found.novel_alarms), expected->novel);
          EXPECT_EQ(static_cast<double>(found.false_alarms), expected->normal);
        }
      };
      check(*at_precision(curve, target, ThresholdRule::max_recall, w), lowest);
      check(*at_precision(curve, target, ThresholdRule::paper, w), smallest);
      check(*at_recall(curve, target, ThresholdRule::paper, w), first);
    }
  }
}

TEST(OperatingPoint, is_the_same_after_any_growing_map_of_the_scores) {
  const DrawnScores drawn = drawn_scores(77, 200, 30);
  DrawnScores mapped = drawn;
  for (double& score : mapped.score) {
    score = std::exp(score / 10.0) - 50.0;
  }
  const DetectionCurve a = curve_of(drawn);
  const DetectionCurve b = curve_of(mapped);
  EXPECT_EQ(auroc(a), auroc(b));
  EXPECT_EQ(average_precision(a, 2.0), average_precision(b, 2.0));
  for (const ThresholdRule rule :
       {ThresholdRule::max_recall, ThresholdRule::paper, ThresholdRule::early2022}) {
    EXPECT_EQ(at_recall(a, 0.9, rule, 1.0)->false_alarms,
              at_recall(b, 0.9, rule, 1.0)->false_alarms);
    EXPECT_EQ(at_precision(a, 0.6, rule, 1.0)->novel_alarms,
              at_precision(b, 0.6, rule, 1.0)->novel_alarms);
  }
}

TEST(ThresholdRule, of_no_such_name_is_told_the_likeliest) {
  EXPECT_EQ(threshold_rule("paper"), ThresholdRule::paper);
  try {
    threshold_rule("max_recal");
    FAIL() << "was taken";
  } catch (const Error& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("did you mean \"max_recall\""));
  }
}

TEST(NormalSamplesNeeded, are_three_to_one_false_alarm) {
  // 0.99^298 = 0.0500, 0.99^299 = 0.0495.
  EXPECT_EQ(normal_samples_needed(0.01), 299);
  EXPECT_EQ(normal_samples_needed(0.001), 2995);
}

TEST(NormalWeight, makes_novel_samples_the_share_asked_for) {
  const DetectionCurve curve = curve_of(kEight);
  EXPECT_EQ(normal_weight(curve, std::nullopt), 1.0);
  EXPECT_DOUBLE_EQ(normal_weight(curve, 0.25), 3.0);  // 4 / (4 + 3 * 4)
  EXPECT_THROW(normal_weight(curve, 0.0), Error);
  EXPECT_THROW(normal_weight(curve, 1.0), Error);
}

}  // namespace
}  // namespace tyto
