// SPDX-License-Identifier: Apache-2.0
// Novelty detection as it is used: trades between misses and false alarms, thresholds and what they
// do, kinds of novelty, episodes along time, and samples that were most misjudged.
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/report/page/detection/extremes.hpp"
#include "tyto/report/page/detection/kinds_of_novelty.hpp"
#include "tyto/report/page/detection/shown_curve.hpp"
#include "tyto/report/page/detection/timelines.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kCurveShape = 120;  // points for each of the curve's shapes
constexpr std::size_t kCostCorners = 80;
constexpr std::size_t kMostNovelClasses = 1000;  // told of an arm, the worst found

Json trade_json(const DetectionCurve& curve) {
  Json points = Json::array();
  for (const std::size_t place : shown_places(curve, kCurveShape)) {
    const DetectionCurve::Point& point = curve.points[place];
    points.push_back(Json::array({json_number(point.threshold), point.normal, point.novel}));
  }
  return points;
}

// What costs can choose on validate, and what it does on test: shares of normal and novel samples
// with an alarm, there and here.
Json cost_choices_json(const JudgedArm& arm) {
  Json choices = Json::array();
  for (const std::size_t place : hull_places(arm.chooser, kCostCorners)) {
    const DetectionCurve::Point& point = arm.chooser.points[place];
    const OperatingPoint on_test = point_at(arm.curve, point.threshold, 1);
    choices.push_back(Json::array(
        {json_number(point.threshold), json_number(arm.chooser.false_alarm_rate(point)),
         json_number(arm.chooser.recall(point)), on_test.false_alarms, on_test.novel_alarms}));
  }
  return choices;
}

Json areas_json(const JudgedAreas& areas) {
  Json values = Json::array();
  for (std::size_t i = 0; i < areas.value.size(); ++i) {
    values.push_back(json_ranged(areas.value[i], areas.interval[i].low, areas.interval[i].high));
  }
  return values;
}

Json point_json(const RuledPoint& point) {
  const OperatingPoint& on_test = point.on_test;
  const auto false_alarms =
      on_test.normal_kept ? std::optional(1 - *on_test.normal_kept) : std::nullopt;
  return {
      {"name", point.name},
      {"chosen", point.on_validate ? "validate" : "test"},
      {"of", point.of_episodes ? "episodes" : "samples"},
      {"threshold", json_number(on_test.threshold)},
      {"recall", json_ranged(on_test.recall, point.recall.low, point.recall.high)},
      {"false_alarms", json_ranged(false_alarms, point.false_alarms.low, point.false_alarms.high)},
      {"tied", point.tied}};
}

Json classes_json(const PageSource& source, const JudgedArm& arm) {
  Json all = Json::array();
  for (const FoundKind& kind : found_by_class(arm)) {
    if (all.size() < kMostNovelClasses) {
      all.push_back({{"name", source.name(kind.name)},
                     {"samples", kind.samples},
                     {"auroc", json_number(kind.auroc)},
                     {"found", kind.found}});
    }
  }
  return all;
}

Json visible_json(const JudgedArm& arm, const Truth& truth) {
  Json all = Json::array();
  for (const FoundKind& bin : found_by_visible_share(arm, truth)) {
    all.push_back({{"from", bin.from},
                   {"below", json_number(bin.below)},
                   {"samples", bin.samples},
                   {"auroc", json_number(bin.auroc)},
                   {"found", bin.found}});
  }
  return all;
}

// By type, then by point.
Json types_json(const PageSource& source, const JudgedArm& arm) {
  Json types = Json::array();
  if (arm.has_episodes()) {
    for (std::size_t p = 0; p < arm.points.size(); ++p) {
      const auto moments = type_moments(arm.test, arm.points[p].on_test.threshold);
      for (std::size_t t = 0; t < moments.size(); ++t) {
        const TypeMoments& type = moments[t];
        if (p == 0) {
          types.push_back({{"name", source.name(type.type)},
                           {"episodes", type.episodes},
                           {"moments", Json::array()}});
        }
        types[t]["moments"].push_back(Json::array(
            {type.never, type.early, json_number(type.median_found), json_number(type.mean)}));
      }
    }
  }
  return types;
}

Json arm_json(const PageSource& source, const PageArm& arm, const JudgedArm& judged) {
  const ScoreTies ties = score_ties(judged.curve);
  Json points = Json::array();
  for (const RuledPoint& point : judged.points) {
    points.push_back(point_json(point));
  }
  return {{"arm", arm.number},
          {"normal", judged.curve.normal},
          {"novel", judged.curve.novel},
          {"distinct", ties.distinct},
          {"largest_tie", ties.largest},
          {"tie_score", json_number(ties.largest_score)},
          {"areas", areas_json(judged.areas)},
          {"drawn", judged.drawn},
          {"notes", judged.notes},
          {"curve", trade_json(judged.curve)},
          {"choices", cost_choices_json(judged)},
          {"points", std::move(points)},
          {"classes", classes_json(source, judged)},
          {"visible", visible_json(judged, *arm.seeds.front().record->truth())},
          {"episodes",
           {{"normal", judged.episode_curve.normal},
            {"novel", judged.episode_curve.novel},
            {"areas", areas_json(judged.episode_areas)},
            {"types", types_json(source, judged)}}}};
}

std::optional<Json> build_detection(const PageSource& source, Progress& progress) {
  Json arms = Json::array();
  Json problems = Json::array();
  Timelines timelines(source);
  ExtremeGallery gallery(source);
  for (const PageArm& arm : source.arms) {
    const RunRecord& record = *arm.seeds.front().record;
    if (!has_detection(record) || record.truth() == nullptr) {
      continue;
    }
    progress.pulse();
    try {
      const JudgedArm judged = judge_arm(record, progress);
      if (judged.test.empty()) {
        problems.push_back(Json::array({arm.number, "no novelty scores were recorded"}));
        continue;
      }
      arms.push_back(arm_json(source, arm, judged));
      gallery.add(arm, judged);
      if (judged.has_episodes() && !judged.points.empty()) {
        timelines.add(arm, judged, judged.points.front().on_test.threshold);
      }
    } catch (const Error& error) {
      problems.push_back(Json::array({arm.number, error.what()}));
    }
  }
  if (arms.empty() && problems.empty()) {
    return std::nullopt;
  }
  return Json{{"arms", std::move(arms)},
              {"timelines", timelines.json(progress)},
              {"shelves", gallery.json()},
              {"problems", std::move(problems)}};
}

}  // namespace

SectionSpec detection_section() {
  return {
      "detection",
      "Detection",
      "Is what is new told from what is normal, at a threshold one can live with? Thresholds are "
      "chosen on validate where that has what they need, and judged on test.",
      {.phases = {"detect"}},
      16,
      build_detection,
      true};
}

}  // namespace tyto
