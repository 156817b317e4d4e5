// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/search/judge.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/measure/detection/operating_point.hpp"
#include "tyto/measure/detection/phase_scores.hpp"
#include "tyto/measure/run_registry.hpp"
#include "tyto/measure/table.hpp"

namespace tyto {

namespace {

// Mean over the increments that have both kinds of samples. The threshold is chosen on what is
// judged: a rehearsal has no test to keep it from.
std::optional<double> recall_at_stated(const RunRecord& record, const SearchOptions& search) {
  const RunView run(record);
  double sum = 0.0;
  Index increments = 0;
  for (const PhaseKey& key : run.steps(search.phase, "test")) {
    const PhaseScores scores = phase_scores(run.view(key), run.truth());
    const DetectionCurve curve = detection_curve(scores.score, scores.is_novel);
    if (curve.one_sided()) {
      continue;
    }
    const auto point = search.at_precision > 0.0
                           ? at_precision(curve, search.at_precision, ThresholdRule::max_recall, 1)
                           : at_false_alarm_rate(curve, search.at_false_alarms, 1);
    sum += point->recall.value_or(0.0);
    ++increments;
  }
  return increments > 0 ? std::optional(sum / static_cast<double>(increments)) : std::nullopt;
}

}  // namespace

bool higher_is_better(const SearchOptions& search) {
  return search.judges_recall() || measure_facts(search.measure).better == Better::higher;
}

void check_judge(const SearchOptions& search, const std::vector<std::string>& phases,
                 std::string_view protocol) {
  if (search.at_precision > 0.0 && search.at_false_alarms > 0.0) {
    throw Error(ErrorKind::config,
                fmt::format("search: at_precision {} and at_false_alarms {} are two thresholds; "
                            "options can be chosen by one",
                            search.at_precision, search.at_false_alarms));
  }
  if (!search.judges_recall() && find_run_measure(search.measure) == nullptr) {
    const MeasureSpec& measure = find_measure(search.measure);
    const bool fits = std::any_of(measure.views.begin(), measure.views.end(),
                                  [&](View view) { return view_name(view) == search.view; });
    if (!fits) {
      throw Error(ErrorKind::config, fmt::format("search.view: {} has no meaning in the view {}",
                                                 search.measure, search.view));
    }
  }
  if (std::find(phases.begin(), phases.end(), search.phase) == phases.end()) {
    throw Error(ErrorKind::config,
                fmt::format("search.phase: the protocol {} has no phase \"{}\"; there are: {}",
                            protocol, search.phase, fmt::join(phases, ", ")));
  }
}

std::optional<double> judged(const RunRecord& record, const SearchOptions& search) {
  if (search.judges_recall()) {
    return recall_at_stated(record, search);
  }
  // A measure of a run stands in a view of its own, and names the phase it read last.
  const RunMeasureSpec* of_run = find_run_measure(search.measure);
  std::optional<double> elsewhere;
  for (const MeasureRow& row : measure_run(record, {{NovelTo::predictor}, {search.measure}})) {
    if (row.step != kAllSteps || row.split != "test" ||
        (of_run == nullptr && row.view != search.view)) {
      continue;
    }
    if (row.phase == search.phase) {
      return row.value;
    }
    if (of_run != nullptr && !elsewhere) {
      elsewhere = row.value;
    }
  }
  return elsewhere;
}

}  // namespace tyto
