// SPDX-License-Identifier: Apache-2.0
// Measures increment by increment, before and after feedback.
#include <algorithm>
#include <array>
#include <map>

#include <nlohmann/json.hpp>

#include "tyto/measure/intervals/spread.hpp"
#include "tyto/measure/table.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kShown = {ShownMeasure{"accuracy", "Accuracy"},
                               ShownMeasure{"mcc", "MCC"},
                               ShownMeasure{"nmi", "NMI"},
                               ShownMeasure{"ari", "ARI"},
                               ShownMeasure{"known_accuracy", "Known right"},
                               ShownMeasure{"detection_rate", "New noticed"},
                               ShownMeasure{"false_alarm_rate", "False alarms"},
                               ShownMeasure{"auroc", "New vs known (AUROC)"},
                               ShownMeasure{"reaction_time", "Reaction time"},
                               ShownMeasure{"forgetting", "Forgotten"}};

struct Line {
  Json points = Json::array();
  bool has_value = false;
};

using LineKey = std::array<std::string, 4>;  // split, view, measure, novel_to

// In the order of events within a step.
std::vector<std::string> phases_of(const RunRecord& record) {
  std::vector<PhaseKey> keys = record.phases();
  std::vector<std::string> phases;
  // The last step has them all; the first may begin in the middle.
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    if (std::find(phases.begin(), phases.end(), key->phase) == phases.end()) {
      phases.push_back(key->phase);
    }
  }
  std::reverse(phases.begin(), phases.end());
  return phases;
}

void add_lines(Json& lines, const PageArm& arm, const TableOptions& options, Progress& progress) {
  std::vector<std::vector<MeasureRow>> runs;
  for (const PageArm::OfSeed& seed : arm.seeds) {
    progress.pulse();
    runs.push_back(measure_run(*seed.record, options));
  }
  const std::vector<std::string> phases = phases_of(*arm.seeds.front().record);
  std::vector<LineKey> order;
  std::map<LineKey, Line> by_key;
  for (const auto& [row, spread] : spread_rows(runs)) {
    if (row.step == kAllSteps) {
      continue;
    }
    const LineKey key{row.split, row.view, row.measure, row.novel_to};
    const auto [found, is_new] = by_key.try_emplace(key);
    if (is_new) {
      order.push_back(key);
    }
    const auto phase = std::find(phases.begin(), phases.end(), row.phase) - phases.begin();
    const double at = static_cast<double>(row.step) +
                      static_cast<double>(phase) / static_cast<double>(phases.size());
    found->second.points.push_back(
        {{"at", json_number(at)}, {"phase", row.phase}, {"value", json_ranged(spread)}});
    found->second.has_value = found->second.has_value || spread.mean.has_value();
  }
  for (const LineKey& key : order) {
    Line& line = by_key.at(key);
    if (line.has_value) {
      lines.push_back({{"arm", arm.number},
                       {"split", key[0]},
                       {"view", key[1]},
                       {"measure", key[2]},
                       {"novel_to", key[3]},
                       {"points", std::move(line.points)}});
    }
  }
}

std::optional<Json> build_progress(const PageSource& source, Progress& progress) {
  TableOptions options;
  for (const ShownMeasure& shown : kShown) {
    options.measures.emplace_back(shown.measure);
  }
  Json lines = Json::array();
  for (const PageArm& arm : source.arms) {
    options.novel_to = references(source.run_of(arm).novel_again);
    add_lines(lines, arm, options, progress);
  }
  if (lines.empty()) {
    return std::nullopt;
  }
  return Json{{"measures", json_measures(kShown)}, {"lines", std::move(lines)}};
}

}  // namespace

SectionSpec progress_section() {
  return {"progress",
          "Over time",
          "Each increment before feedback (whole steps) and after it (half steps); with several "
          "{repeats} the mean, least and greatest.",
          {.several_steps = true},
          20,
          build_progress};
}

}  // namespace tyto
