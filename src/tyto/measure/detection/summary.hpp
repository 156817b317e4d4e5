// SPDX-License-Identifier: Apache-2.0
// Everything that is told of one novelty score, and intervals of it over episodes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tyto/measure/detection/costs.hpp"
#include "tyto/measure/intervals/bootstrap.hpp"

namespace tyto {

struct DetectionOptions {
  ThresholdRule rule = ThresholdRule::max_recall;
  std::optional<double> prior;  // share of novel samples that precision is for; none: as it is
  double recall = 0.95, precision = 0.80;              // to be reached
  std::vector<double> false_alarm_rates{0.01, 0.001};  // at which recall is asked for
  std::optional<DetectionCosts> costs;
  std::optional<AlarmBudget> budget;
};

struct DetectionSummary {
  Index novel = 0, normal = 0;
  ScoreTies ties;
  std::optional<double> auroc, trapezoids, average_precision;
  std::optional<OperatingPoint> at_recall, at_precision, at_cost, in_budget;
  std::vector<std::optional<OperatingPoint>> at_rates;  // as false_alarm_rates
  std::vector<std::string> notes;  // sentences: ties, kinds that are missing, samples too few
};

// Thresholds are chosen on `validation`, where there is one, and applied to `test`; else on the
// test scores themselves, as published.
DetectionSummary summarise_detection(const DetectionCurve& test, const DetectionOptions& options,
                                     const DetectionCurve* validation = nullptr);

// Units (episodes) are drawn anew as wholes: frames of one resemble each other, and intervals
// over frames would be far too narrow. `unit` by sample, from 0. `values` of each resample, with
// NaN where one is not defined. Parallel; the same at any number of threads.
std::vector<Interval> detection_intervals(
    std::span<const double> score, std::span<const std::uint8_t> is_novel,
    std::span<const Index> unit, const BootstrapOptions& options, Progress& progress,
    const std::function<std::vector<double>(const DetectionCurve&)>& values);

}  // namespace tyto

// Example:
//
//   const std::vector<double> score{0.1, 0.9, 0.4};
//   const std::vector<std::uint8_t> is_novel{0, 1, 0};
//   const auto auroc = summarise_detection(detection_curve(score, is_novel), {}).auroc;
