// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/detection/judged_arm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "tyto/measure/detection/areas.hpp"
#include "tyto/measure/detection/summary.hpp"
#include "tyto/measure/table.hpp"
#include "tyto/report/page/ranged.hpp"

namespace tyto {

namespace {

// NovelCraft's: 25 % of the samples are novel, and 80 % of the alarms are to be right.
constexpr double kPagePrior = 0.25;
constexpr double kPagePrecision = 0.80;
constexpr double kPageRecall = 0.95;
constexpr std::size_t kAreas = 3;

using Choose = std::function<std::optional<OperatingPoint>(const DetectionCurve&)>;

struct PointRule {
  const char* name;
  bool needs_novel;   // to choose by
  bool as_published;  // also chosen on test where validate could
  bool of_episodes;   // also asked of episodes
  Choose choose;
};

const std::array<PointRule, 4>& point_rules() {
  static const std::array<PointRule, 4> rules{
      {{"1 in 100 false alarms", false, false, true,
        [](const DetectionCurve& curve) { return at_false_alarm_rate(curve, 0.01, 1); }},
       {"1 in 1,000 false alarms", false, false, false,
        [](const DetectionCurve& curve) { return at_false_alarm_rate(curve, 0.001, 1); }},
       {"95 % found", true, true, true,
        [](const DetectionCurve& curve) {
          return at_recall(curve, kPageRecall, ThresholdRule::max_recall, 1);
        }},
       {"80 % of alarms right, 25 % novel", true, true, false, [](const DetectionCurve& curve) {
          return curve.one_sided() ? std::nullopt
                                   : at_precision(curve, kPagePrecision, ThresholdRule::max_recall,
                                                  normal_weight(curve, kPagePrior));
        }}}};
  return rules;
}

// A point with the way it is chosen again on a resample.
struct MadePoint {
  RuledPoint point;
  const PointRule* rule = nullptr;
};

Index tied_at(const DetectionCurve& curve, double threshold) {
  const auto at = std::find_if(
      curve.points.begin(), curve.points.end(),
      [&](const DetectionCurve::Point& point) { return point.threshold == threshold; });
  if (at == curve.points.end()) {
    return 0;
  }
  const DetectionCurve::Point before =
      at == curve.points.begin() ? DetectionCurve::Point{} : *std::prev(at);
  return Index{at->novel - before.novel} + Index{at->normal - before.normal};
}

void add_point(std::vector<MadePoint>& made, const PointRule& rule, bool on_validate,
               bool of_episodes, const DetectionCurve& test, const DetectionCurve& chooser) {
  const std::optional<OperatingPoint> chosen = rule.choose(on_validate ? chooser : test);
  if (!chosen) {
    return;
  }
  MadePoint& one = made.emplace_back();
  one.point.name = rule.name;
  one.point.on_validate = on_validate;
  one.point.of_episodes = of_episodes;
  one.point.on_test = point_at(test, chosen->threshold, 1);
  one.point.tied = tied_at(test, chosen->threshold);
  one.rule = &rule;
}

std::vector<MadePoint> made_points(const DetectionCurve& test, const DetectionCurve& chooser,
                                   bool of_episodes) {
  std::vector<MadePoint> made;
  for (const PointRule& rule : point_rules()) {
    if (of_episodes && !rule.of_episodes) {
      continue;
    }
    const bool can = rule.needs_novel ? !chooser.one_sided() : chooser.normal > 0;
    if (can) {
      add_point(made, rule, true, of_episodes, test, chooser);
    }
    if (!can || rule.as_published) {
      add_point(made, rule, false, of_episodes, test, chooser);
    }
  }
  return made;
}

std::array<std::optional<double>, kAreas> areas_of(const DetectionCurve& curve) {
  return {auroc(curve), average_precision(curve, 1), precision_recall_trapezoids(curve, 1)};
}

// Areas, then recall and false alarms of each point.
std::vector<double> drawn_values(const DetectionCurve& curve, const std::vector<MadePoint>& made) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values;
  for (const auto& area : areas_of(curve)) {
    values.push_back(area.value_or(kNone));
  }
  for (const MadePoint& one : made) {
    const std::optional<OperatingPoint> point =
        one.point.on_validate ? point_at(curve, one.point.on_test.threshold, 1)
                              : one.rule->choose(curve);
    values.push_back(point && point->recall ? *point->recall : kNone);
    values.push_back(point && point->normal_kept ? 1 - *point->normal_kept : kNone);
  }
  return values;
}

// Units of samples of one kind.
Index units_with(std::span<const std::uint8_t> is_novel, std::span<const Index> unit, bool novel) {
  std::set<Index> seen;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    if ((is_novel[i] != 0) == novel) {
      seen.insert(unit[i]);
    }
  }
  return std::ssize(seen);
}

// Resamples of nothing but zeros are all zero. What so many units show is that the share is below
// 1 - 0.05^(1/units) with 95 % confidence; likewise of nothing but ones.
Interval shown_interval(const Interval& drawn, std::optional<double> value, Index units) {
  if (!value || units == 0 || (*value != 0.0 && *value != 1.0) || drawn.low != drawn.high) {
    return drawn;
  }
  const double unseen = 1.0 - std::pow(0.05, 1.0 / static_cast<double>(units));
  return *value == 0.0 ? Interval{0.0, unseen} : Interval{1.0 - unseen, 1.0};
}

void add_intervals(std::span<const double> score, std::span<const std::uint8_t> is_novel,
                   std::span<const Index> unit, const DetectionCurve& curve,
                   std::vector<MadePoint>& made, JudgedAreas& areas, Progress& progress) {
  const auto values = areas_of(curve);
  areas.value.assign(values.begin(), values.end());
  BootstrapOptions options;
  options.replicates = page_replicates(static_cast<double>(score.size()));
  const std::vector<Interval> found =
      detection_intervals(score, is_novel, unit, options, progress,
                          [&](const DetectionCurve& drawn) { return drawn_values(drawn, made); });
  areas.interval.assign(found.begin(), found.begin() + kAreas);
  const Index novel_units = units_with(is_novel, unit, true);
  const Index normal_units = units_with(is_novel, unit, false);
  for (std::size_t i = 0; i < made.size(); ++i) {
    RuledPoint& point = made[i].point;
    const auto& kept = point.on_test.normal_kept;
    point.recall = shown_interval(found[kAreas + 2 * i], point.on_test.recall, novel_units);
    point.false_alarms = shown_interval(
        found[kAreas + 2 * i + 1], kept ? std::optional(1 - *kept) : std::nullopt, normal_units);
  }
}

void take_points(JudgedArm& arm, std::vector<MadePoint>& made) {
  for (MadePoint& one : made) {
    arm.points.push_back(std::move(one.point));
  }
}

// A sample without a group is drawn by itself.
std::vector<Index> units_of(const PhaseView& view, const Truth& truth, std::string& drawn) {
  std::vector<Index> unit;
  std::map<std::string_view, Index> place;
  Index units = 0;
  bool grouped = false;
  for (const SampleId id : view.sample) {
    const std::string_view group =
        truth.group.empty() ? std::string_view{} : truth.group[static_cast<std::size_t>(id)];
    if (group.empty()) {
      unit.push_back(units++);
      continue;
    }
    const auto [found, is_new] = place.try_emplace(group, units);
    units += is_new ? 1 : 0;
    grouped = grouped || !is_new;
    unit.push_back(found->second);
  }
  drawn = fmt::format("{} {}", units, grouped ? "groups" : "samples");
  return unit;
}

std::vector<Index> each_by_itself(std::size_t size) {
  std::vector<Index> unit(size);
  for (std::size_t i = 0; i < size; ++i) {
    unit[i] = static_cast<Index>(i);
  }
  return unit;
}

std::optional<PhaseKey> detection_key(const RunRecord& record, std::string_view split) {
  for (const PhaseKey& key : record.phases()) {
    if (key.phase == "detect" && key.split == split) {
      return key;
    }
  }
  return std::nullopt;
}

void add_episodes(JudgedArm& arm, const Truth& truth, Progress& progress) {
  if (!has_episodes_in_time(arm.test, truth)) {
    return;
  }
  arm.episodes = episode_evidence(arm.test, {}, {});
  arm.episode_curve = detection_curve(arm.episodes.whole, arm.episodes.is_novel);
  const EpisodeEvidence validate = episode_evidence(arm.validate, {}, {});
  arm.episode_chooser = detection_curve(validate.whole, validate.is_novel);
  std::vector<MadePoint> made = made_points(arm.episode_curve, arm.episode_chooser, true);
  add_intervals(arm.episodes.whole, arm.episodes.is_novel,
                each_by_itself(arm.episodes.whole.size()), arm.episode_curve, made,
                arm.episode_areas, progress);
  take_points(arm, made);
}

}  // namespace

bool has_detection(const RunRecord& record) {
  return detection_key(record, "test").has_value();
}

PhaseScores detection_scores(const RunRecord& record, std::string_view split) {
  const auto key = detection_key(record, split);
  return key ? phase_scores(view_phase(record.phase(*key), truth_of(record)), truth_of(record))
             : PhaseScores{};
}

bool has_episodes_in_time(const PhaseScores& scores, const Truth& truth) {
  return !truth.time.empty() && scores.rows.size() < scores.score.size();
}

JudgedArm judge_arm(const RunRecord& record, Progress& progress) {
  const Truth& truth = truth_of(record);
  JudgedArm arm;
  arm.view = view_phase(record.phase(*detection_key(record, "test")), truth);
  arm.test = phase_scores(arm.view, truth);
  if (arm.test.empty()) {
    return arm;
  }
  arm.validate = detection_scores(record, "validate");
  arm.curve = detection_curve(arm.test.score, arm.test.is_novel);
  arm.chooser = detection_curve(arm.validate.score, arm.validate.is_novel);
  const bool chooses = arm.chooser.normal + arm.chooser.novel > 0;
  arm.notes = summarise_detection(arm.curve, {}, chooses ? &arm.chooser : nullptr).notes;
  std::vector<MadePoint> made = made_points(arm.curve, arm.chooser, false);
  const std::vector<Index> unit = units_of(arm.view, truth, arm.drawn);
  add_intervals(arm.test.score, arm.test.is_novel, unit, arm.curve, made, arm.areas, progress);
  take_points(arm, made);
  add_episodes(arm, truth, progress);
  return arm;
}

}  // namespace tyto
