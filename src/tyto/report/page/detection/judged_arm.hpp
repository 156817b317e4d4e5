// SPDX-License-Identifier: Apache-2.0
// The novelty scores of an arm, and the thresholds a reader of the page may choose among.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tyto/measure/detection/operating_point.hpp"
#include "tyto/measure/detection/phase_scores.hpp"
#include "tyto/measure/intervals/bootstrap.hpp"
#include "tyto/report/page/source.hpp"

namespace tyto {

// A threshold by a rule, and what it does on test.
struct RuledPoint {
  std::string name;          // "1 in 100 false alarms"
  bool on_validate = false;  // chosen there; else on test itself, as published
  bool of_episodes = false;  // its shares are of episodes, by their greatest score
  OperatingPoint on_test;
  Index tied = 0;  // test samples (episodes) of exactly that score
  Interval recall = {}, false_alarms = {};
};

// Areas and their intervals: AUROC, average precision, trapezoids.
struct JudgedAreas {
  std::vector<std::optional<double>> value;
  std::vector<Interval> interval;
};

struct JudgedArm {
  PhaseView view;  // of test
  PhaseScores test, validate;
  DetectionCurve curve, chooser;  // of test and of validate
  // Where the data have groups and times.
  EpisodeEvidence episodes;
  DetectionCurve episode_curve, episode_chooser;

  std::vector<RuledPoint> points;  // of samples, then of episodes
  JudgedAreas areas, episode_areas;
  std::string drawn;  // what was drawn anew for the intervals
  std::vector<std::string> notes;

  [[nodiscard]] bool has_episodes() const { return !episodes.whole.empty(); }

  // Thresholds can be chosen by costs on validate.
  [[nodiscard]] bool chooses_costs() const { return !chooser.one_sided(); }
};

// Whether the record has the phase `detect` on test.
bool has_detection(const RunRecord& record);

// Scores alone: what is needed to tell of single episodes.
PhaseScores detection_scores(const RunRecord& record, std::string_view split);

// Whether the frames of an episode have an order, so that there is a moment of detection.
bool has_episodes_in_time(const PhaseScores& scores, const Truth& truth);

// Throws Error(data) where a score is not a number.
JudgedArm judge_arm(const RunRecord& record, Progress& progress);

}  // namespace tyto
