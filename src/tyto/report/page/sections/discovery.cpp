// SPDX-License-Identifier: Apache-2.0
// Tests in which nobody names what is new: whether the novel classes were found, each by one
// lasting cluster.
#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "tyto/measure/formulas/condda.hpp"
#include "tyto/measure/table.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kMostCalls = 1000000;  // novel samples of a page that are told one by one

constexpr std::array kShownOfDiscovery = {
    ShownMeasure{"condda_accuracy", "right"},
    ShownMeasure{"condda_characterisation", "new grouped"},
    ShownMeasure{"condda_discovered", "discovered"},
    ShownMeasure{"condda_samples_until_discovery", "after samples"},
    ShownMeasure{"condda_clusters_per_class", "clusters per class"},
    ShownMeasure{"condda_nmi", "NMI"},
    ShownMeasure{"condda_ari", "ARI"},
    ShownMeasure{"condda_purity", "purity"},
    ShownMeasure{"condda_stability", "stability"}};

std::optional<double> value_of(const ConddaScores& test, std::string_view name) {
  const auto measures = condda_measures();
  const auto found = std::find_if(measures.begin(), measures.end(),
                                  [&](const auto& measure) { return measure.name == name; });
  return test.*found->value;
}

Json summary_json(const std::vector<ConddaScores>& tests) {
  const std::vector<ProgrammeRow> rows = condda_summary(tests);
  Json values = Json::array();
  for (const ShownMeasure& shown : kShownOfDiscovery) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const ProgrammeRow& row) {
      return row.name == shown.measure;
    });
    values.push_back(json_ranged(found->value, found->interval.low, found->interval.high));
  }
  return values;
}

Json round_json(const ConddaRound& round) {
  return Json::array({round.round, round.of.samples, round.of.novel_samples,
                      json_number(round.of.accuracy), json_number(round.of.characterisation),
                      json_number(round.of.nmi), round.clusters, round.classes});
}

// Novel samples are told apart from known ones of the same name: a class may be altered.
Json cells_json(const PageSource& source, const TestStream& stream) {
  Json cells = Json::array();
  for (const int novel : {0, 1}) {
    std::vector<std::int32_t> actual, decision;
    for (std::size_t i = 0; i < stream.novel.size(); ++i) {
      if (stream.novel[i] == novel) {
        actual.push_back(stream.actual[i]);
        decision.push_back(stream.decision[i]);
      }
    }
    const Confusion matrix = Confusion::from(stream.names, actual, decision);
    for (const auto& [cell, count] : matrix.cells()) {
      cells.push_back(novel);
      cells.push_back(source.name(matrix.labels()[static_cast<std::size_t>(cell.first)]));
      cells.push_back(source.name(matrix.labels()[static_cast<std::size_t>(cell.second)]));
      cells.push_back(count);
    }
  }
  return cells;
}

// What a sample of the class was called by: m the matched cluster or its own name, c another
// cluster, u unknown, k another name.
char call_letter(const TestStream& stream, std::size_t i, const NovelClass& one) {
  const std::string& said = stream.names[static_cast<std::size_t>(stream.decision[i])];
  if (said == one.cluster || said == one.name) {
    return 'm';
  }
  return stream.decision[i] == 0 ? 'u' : stream.is_cluster(stream.decision[i]) ? 'c' : 'k';
}

class DiscoveryData {
 public:
  explicit DiscoveryData(const PageSource& source) : source_(source) {}

  void add(const PageArm& arm) {
    const RunRecord& record = *arm.seeds.front().record;
    if (record.phases().empty()) {
      return;
    }
    const RunView run(record);
    const ConddaBySetting scores = condda_scores(run);
    const TestsBySetting& streams = run.once<TestsBySetting>([&] { return test_streams(run); });
    std::vector<std::string> settings;  // in the order of the record
    for (const PhaseKey& key : run.phases()) {
      const bool is_new = std::find(settings.begin(), settings.end(), key.phase) == settings.end();
      if (is_new && scores.contains(key.phase)) {
        settings.push_back(key.phase);
      }
    }
    for (const std::string& setting : settings) {
      const std::vector<ConddaScores>& own = scores.at(setting);
      Json tests = Json::array();
      for (std::size_t i = 0; i < own.size(); ++i) {
        tests.push_back(test_json(streams.at(setting)[i], own[i]));
      }
      all_.push_back({{"arm", arm.number},
                      {"setting", setting},
                      {"values", summary_json(own)},
                      {"tests", std::move(tests)}});
    }
  }

  std::optional<Json> json() {
    if (all_.empty()) {
      return std::nullopt;
    }
    return Json{
        {"measures", json_measures(kShownOfDiscovery)},
        {"settings", std::move(all_)},
        {"note", calls_ > kMostCalls ? "Beyond the first million novel samples single samples of "
                                       "classes are left out."
                                     : ""}};
  }

 private:
  Json test_json(const TestStream& stream, const ConddaScores& scores) {
    Json values = Json::array();
    for (const ShownMeasure& shown : kShownOfDiscovery) {
      values.push_back(json_number(value_of(scores, shown.measure)));
    }
    Json rounds = Json::array();
    for (const ConddaRound& round : scores.rounds) {
      rounds.push_back(round_json(round));
    }
    Json classes = Json::array();
    for (const NovelClass& one : scores.classes) {
      classes.push_back(class_json(stream, one));
    }
    return {{"id", scores.test},
            {"samples", scores.samples},
            {"change", stream.change() < stream.size() ? Json(stream.change()) : Json()},
            {"clusters", scores.clusters},
            {"values", std::move(values)},
            {"rounds", std::move(rounds)},
            {"classes", std::move(classes)},
            {"cells", cells_json(source_, stream)}};
  }

  Json class_json(const TestStream& stream, const NovelClass& one) {
    Json steps = Json::array();  // from one sample of the class to the next
    std::string calls;
    std::size_t last = 0;
    Json found;
    Index seen = 0;
    for (std::size_t i = 0; i < stream.novel.size(); ++i) {
      if (stream.novel[i] == 0 ||
          stream.names[static_cast<std::size_t>(stream.actual[i])] != one.name) {
        continue;
      }
      if (one.until == seen) {
        found = Json::array({i, stream.round[i]});
      }
      ++seen;
      if (++calls_ <= kMostCalls) {
        steps.push_back(i - last);
        calls += call_letter(stream, i, one);
        last = i;
      }
    }
    return {{"name", source_.name(one.name)},
            {"cluster", one.cluster.empty() ? Json() : Json(source_.name(one.cluster))},
            {"samples", one.samples},
            {"until", one.until ? Json(*one.until) : Json()},
            {"found", std::move(found)},
            {"steps", std::move(steps)},
            {"calls", calls}};
  }

  const PageSource& source_;
  Index calls_ = 0;
  Json all_ = Json::array();
};

std::optional<Json> build_discovery(const PageSource& source, Progress& progress) {
  DiscoveryData data(source);
  for (const PageArm& arm : source.arms) {
    progress.pulse();
    data.add(arm);
  }
  return data.json();
}

}  // namespace

SectionSpec discovery_section() {
  return {"discovery",
          "Discovery",
          "Were the novel classes of the tests found, each by one lasting cluster? A cluster is "
          "named by the novel class it is matched with, one to one over the whole test.",
          {.tests = true},
          14,
          build_discovery,
          true};
}

}  // namespace tyto
