// SPDX-License-Identifier: Apache-2.0
// Scores of known and novel samples, what any threshold would have given, and what was discovered.
#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "tyto/measure/formulas/false_novelty.hpp"
#include "tyto/measure/table.hpp"
#include "tyto/report/page/curve.hpp"
#include "tyto/report/page/discovered.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/score_range.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPoints = 200;
constexpr std::size_t kBins = 40;
constexpr std::size_t kMostLabels = 12;  // of the mix of a discovered class

Json points_json(const std::vector<CurvePoint>& points) {
  Json all = Json::array();
  for (const auto& [x, y] : thinned(points, kMostPoints)) {
    all.push_back(Json::array({json_number(x), json_number(y)}));
  }
  return all;
}

// Equal bins over the range of the scores; what lies beyond is in the first and the last bin.
std::vector<double> bin_edges(const PhaseView& view) {
  const std::optional<ScoreRange> range = score_range(view.novelty);
  std::vector<double> edges;
  if (range) {
    for (std::size_t i = 0; i <= kBins; ++i) {
      edges.push_back(range->low + (range->high - range->low) * static_cast<double>(i) /
                                       static_cast<double>(kBins));
    }
  }
  return edges;
}

std::size_t bin_of(const std::vector<double>& edges, float score) {
  const auto above =
      std::upper_bound(edges.begin(), edges.end(), static_cast<double>(score)) - edges.begin();
  return static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(above - 1, 0, static_cast<std::ptrdiff_t>(kBins) - 1));
}

// The lowest score that was called novel, if no score from there on was not.
std::optional<double> threshold_of(const PhaseView& view) {
  double called = std::numeric_limits<double>::infinity();
  double passed = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < view.novelty.size(); ++i) {
    const auto score = static_cast<double>(view.novelty[i]);
    if (view.is_called_novel[i] != 0) {
      called = std::min(called, score);
    } else {
      passed = std::max(passed, score);
    }
  }
  return called > passed && std::isfinite(called) ? std::optional(called) : std::nullopt;
}

Json curve_json(const PageArm& arm, const PhaseView& view) {
  const std::vector<double> edges = bin_edges(view);
  std::vector<Index> known(edges.empty() ? 0 : kBins);
  std::vector<Index> novel(known.size());
  if (!edges.empty()) {
    for (std::size_t i = 0; i < view.novelty.size(); ++i) {
      ++(view.is_novel[i] != 0 ? novel : known)[bin_of(edges, view.novelty[i])];
    }
  }
  Json edge = Json::array();
  for (const double at : edges) {
    edge.push_back(json_number(at));
  }
  const NoveltyRanking& ranking = view.ranking();
  return {{"arm", arm.number},
          {"step", view.key.step},
          {"edges", edge},
          {"known", known},
          {"novel", novel},
          {"threshold", json_number(threshold_of(view))},
          {"promised", json_number(arm.promised)},
          {"real", json_number(false_alarm_rate(view.views.detection))},
          {"auroc", json_number(auroc(ranking))},
          {"roc", points_json(roc_curve(ranking))},
          {"pr", points_json(precision_recall_curve(ranking))},
          {"oscr", points_json(oscr_curve(ranking))}};
}

void add_curves(Json& curves, const PageArm& arm, Progress& progress) {
  const RunRecord& record = *arm.seeds.front().record;
  std::vector<PhaseKey> keys = record.phases();
  std::erase_if(keys,
                [](const PhaseKey& key) { return key.phase != "pre" || key.split != "test"; });
  for (const std::vector<PhaseKey>& batches : by_increment(keys)) {
    progress.pulse();
    const auto views = view_batches(record, batches, truth_of(record), {NovelTo::predictor});
    if (!views.front().novelty.empty()) {
      curves.push_back(curve_json(arm, views.front()));
    }
  }
}

Json discovered_json(const PageSource& source, const PageArm& arm, const DiscoveredClass& one) {
  std::vector<std::pair<std::string, Index>> mix(one.mix.begin(), one.mix.end());
  std::stable_sort(mix.begin(), mix.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  const Index size = one.size();
  Json labels = Json::array();
  for (std::size_t i = 0; i < std::min(mix.size(), kMostLabels); ++i) {
    labels.push_back(Json::array({source.name(mix[i].first), mix[i].second}));
  }
  Json life = Json::array();
  for (const auto& [step, samples] : one.life) {
    life.push_back(Json::array({step, samples}));
  }
  return {{"arm", arm.number},
          {"name", source.name(one.name)},
          {"found", one.found},
          {"retired", one.retired ? Json(*one.retired) : Json()},
          {"into", one.into},
          {"why", one.why},
          {"size", size},
          {"purity", mix.empty() ? Json()
                                 : json_number(static_cast<double>(mix.front().second) /
                                               static_cast<double>(size))},
          {"mix", labels},
          {"life", life}};
}

void add_alarms(Json& alarms, const PageArm& arm, const PageTable& table) {
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (table.text(row, "arm") == arm.name) {
      alarms.push_back({{"arm", arm.number},
                        {"step", json_number(table.number(row, "increment"))},
                        {"samples", json_number(table.number(row, "samples"))},
                        {"log_evidence", json_number(table.number(row, "log_evidence"))},
                        {"changed", table.text(row, "changed") == "1"},
                        {"since", json_number(table.number(row, "since"))},
                        {"kind", table.text(row, "kind")},
                        {"novel_share", json_number(table.number(row, "novel_share"))}});
    }
  }
}

std::optional<Json> build_novelty(const PageSource& source, Progress& progress) {
  Json curves = Json::array();
  Json discovered = Json::array();
  Json alarms = Json::array();
  for (const PageArm& arm : source.arms) {
    add_curves(curves, arm, progress);
    const PageSeed& seed = source.seed_of(arm, arm.seeds.front());
    for (const DiscoveredClass& one : discovered_classes(*arm.seeds.front().record, arm.name,
                                                         seed.table("discoveries.csv"), progress)) {
      discovered.push_back(discovered_json(source, arm, one));
    }
    if (const PageTable* table = seed.table("alarms.csv")) {
      add_alarms(alarms, arm, *table);
    }
  }
  if (curves.empty() && discovered.empty() && alarms.empty()) {
    return std::nullopt;
  }
  return Json{{"curves", std::move(curves)},
              {"discovered", std::move(discovered)},
              {"alarms", std::move(alarms)}};
}

}  // namespace

SectionSpec novelty_section() {
  return {"novelty",
          "Novelty",
          "How new the samples seemed before feedback on the test split, what each threshold would "
          "have given, and the classes that were discovered.",
          {.phases = {"pre"}},
          50,
          build_novelty,
          true};
}

}  // namespace tyto
