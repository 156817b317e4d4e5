// SPDX-License-Identifier: Apache-2.0
// What was measured of one novelty score, and how it is told: as JSON, as a line of a CSV table,
// or as a table for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tyto/measure/detection/episodes.hpp"
#include "tyto/measure/detection/summary.hpp"

namespace tyto {

struct DetectionAnswer {
  std::string method, rule, chosen_on;  // the score's column; whose scores set the thresholds
  DetectionOptions options;
  DetectionSummary found;
  std::vector<CostCurvePoint> cost_curve;
  // Of episodes.
  bool of_episodes = false;
  std::optional<EpisodeDelays> delay_at_recall, delay_at_precision;
  std::vector<std::optional<EpisodeDelays>> delay_at_rates;
  // As interval_values, with how they were drawn; empty where none were asked for.
  std::vector<Interval> intervals;
  std::string drawn;
  std::vector<std::string> notes;
};

// The values that get an interval, thresholds chosen anew in each resample; NaN where missing.
std::vector<double> interval_values(const DetectionCurve& curve, const DetectionOptions& options);

// One answer is an object, several are a list. Shares are percentages.
std::string detection_json(const std::vector<DetectionAnswer>& answers);
std::string detection_csv(const std::vector<DetectionAnswer>& answers);
std::string detection_text(const DetectionAnswer& answer);

}  // namespace tyto
