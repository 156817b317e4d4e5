// SPDX-License-Identifier: Apache-2.0
// Thresholds for people who know what a mistake costs, or how many alarms a day they can look at.
#pragma once

#include <vector>

#include "tyto/measure/detection/operating_point.hpp"

namespace tyto {

struct DetectionCosts {
  double miss = 1, false_alarm = 1;  // of one mistake, in any unit; not negative, not both 0
  double frequency = 0.5;            // share of samples that will be novel, in [0, 1]

  void check() const;  // throws Error(config)
};

// Mean cost of a sample: frequency (1 - recall) miss + (1 - frequency) false alarm rate * false
// alarm.
double expected_cost(const OperatingPoint& point, const DetectionCosts& costs);

// The cheaper of never and always raising an alarm: what a detector must beat.
double cost_without_detector(const DetectionCosts& costs);

// The threshold of least expected cost, of equal ones the strictest; it may be silence. Missing
// where one kind of sample is.
std::optional<OperatingPoint> at_least_cost(const DetectionCurve& curve,
                                            const DetectionCosts& costs, double normal_weight);

// The least cost over all thresholds for every ratio of costs and frequencies (Drummond and Holte
// 2006). `share` is frequency * miss / (frequency * miss + (1 - frequency) * false alarm), what
// the novel samples have of all that could go wrong; `cost` is relative to all of that going wrong.
struct CostCurvePoint {
  double share = 0, cost = 0, threshold = 0;
};

// At 0, 1 / steps, ..., 1. O(n + steps): only corners of the convex hull are ever the cheapest.
std::vector<CostCurvePoint> cost_curve(const DetectionCurve& curve, Index steps);

struct AlarmBudget {
  double alarms_per_day = 0, frames_per_day = 0;
  double frequency = 0;  // share of frames that will be novel: right alarms are alarms too

  void check() const;  // throws Error(config)
};

// Alarms a day to be expected, right and false.
double alarms_expected(const OperatingPoint& point, const AlarmBudget& budget);

// The lowest threshold within the budget; silence where none is. Missing where one kind of sample
// is.
std::optional<OperatingPoint> within_budget(const DetectionCurve& curve, const AlarmBudget& budget,
                                            double normal_weight);

}  // namespace tyto
