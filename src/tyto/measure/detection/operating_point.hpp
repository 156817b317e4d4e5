// SPDX-License-Identifier: Apache-2.0
// One threshold and what it does; how it is chosen for a stated recall, precision or rate of false
// alarms, by today's rule or as published.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "tyto/measure/detection/curve.hpp"

namespace tyto {

enum class ThresholdRule {
  // Precision: the lowest threshold that reaches the target, so the most recall.
  max_recall,
  // Precision: of all points that reach the target the one with the *smallest* precision, of equal
  // ones the lowest threshold, as NovelCraft publishes since December 2022. It may leave recall
  // unused.
  paper,
  // max_recall on a curve that first lost its points on straight lines (scikit-learn's
  // drop_intermediate), as NovelCraft's first tables: it may land on a later point than the first
  // that reaches a recall, and on an earlier one than the last that reaches a precision.
  early2022
};

inline constexpr std::array<std::string_view, 3> kThresholdRules{"max_recall", "paper",
                                                                 "early2022"};
// Throws Error(config) naming the rules and the likeliest spelling.
ThresholdRule threshold_rule(std::string_view name);

struct OperatingPoint {
  double threshold = 0;  // an alarm where score >= threshold
  Index novel_alarms = 0, false_alarms = 0;
  std::optional<double> recall;       // of the novel samples; missing where there are none
  std::optional<double> normal_kept;  // share of the normal ones without an alarm (TNR)
  double precision = 1;  // at the weight of normal samples asked for; 1 where no alarm is raised

  [[nodiscard]] bool never() const { return novel_alarms + false_alarms == 0; }
};

// What any threshold does, one chosen elsewhere too. O(log n).
OperatingPoint point_at(const DetectionCurve& curve, double threshold, double normal_weight);

// Above every score (by 1e-4, as published): no alarm is ever raised.
OperatingPoint point_of_silence(const DetectionCurve& curve, double normal_weight);

// The strictest threshold that finds a share `target` of the novel samples; missing without these.
std::optional<OperatingPoint> at_recall(const DetectionCurve& curve, double target,
                                        ThresholdRule rule, double normal_weight);

// Where none reaches the target, silence does. Missing where one kind of sample is.
std::optional<OperatingPoint> at_precision(const DetectionCurve& curve, double target,
                                           ThresholdRule rule, double normal_weight);

// The lowest threshold whose share of false alarms is at most `rate`; silence where none is.
// Missing without normal samples.
std::optional<OperatingPoint> at_false_alarm_rate(const DetectionCurve& curve, double rate,
                                                  double normal_weight);

// Normal samples that must stay without alarm, all of them, to show with 95 % confidence that the
// rate is at most this: ln 0.05 / ln(1 - rate), some 3 / rate.
Index normal_samples_needed(double rate);

}  // namespace tyto
