// SPDX-License-Identifier: Apache-2.0
// What was shown when, and how much was told about it.
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "tyto/report/page/arm_facts.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

struct Increment {
  struct Counts {
    std::string split;
    Index known = 0, novel = 0;
  };

  std::vector<Counts> counts;
  std::set<std::string> introduced;
};

std::map<Index, Increment> increments_of(const std::vector<ShownCount>& shown) {
  std::map<Index, Increment> increments;
  std::map<std::string, Index> first;
  for (const ShownCount& count : shown) {
    auto& counts = increments[count.step].counts;
    if (counts.empty() || counts.back().split != count.split) {
      counts.push_back({count.split});
    }
    (count.novel ? counts.back().novel : counts.back().known) += count.samples;
    const auto [found, is_new] = first.try_emplace(count.label, count.step);
    found->second = std::min(found->second, count.step);
  }
  for (const auto& [label, step] : first) {
    increments[step].introduced.insert(label);
  }
  return increments;
}

Json increments_json(const PageSource& source, const std::vector<ShownCount>& shown) {
  Json all = Json::array();
  for (const auto& [step, increment] : increments_of(shown)) {
    Json counts = Json::array();
    for (const Increment::Counts& split : increment.counts) {
      counts.push_back({{"split", split.split}, {"known", split.known}, {"novel", split.novel}});
    }
    Json introduced = Json::array();
    for (const std::string& label : increment.introduced) {
      introduced.push_back(source.name(label));
    }
    all.push_back({{"step", step}, {"counts", counts}, {"introduced", introduced}});
  }
  return all;
}

Json density_json(const PageSource& source, const std::vector<ShownCount>& shown) {
  std::map<std::pair<Index, std::string>, Index> samples;
  for (const ShownCount& count : shown) {
    samples[{count.step, count.label}] += count.samples;
  }
  Json all = Json::array();
  for (const auto& [key, number] : samples) {
    all.push_back(Json::array({source.name(key.second), key.first, number}));
  }
  return all;
}

Json feedback_json(const PageSource& source, const PageRun& run) {
  std::map<Index, Index> trained;  // train samples by step
  for (const ShownCount& count : run.seeds.front().shown) {
    trained[count.step] += count.split == "train" ? count.samples : 0;
  }
  Json all = Json::array();
  for (const PageArm& arm : source.arms) {
    if (source.run_of(arm).number != run.number) {
      continue;
    }
    for (const StepGrants& step : grants_of(*arm.seeds.front().record)) {
      Json& row = all.emplace_back(Json{{"arm", arm.number},
                                        {"step", step.step},
                                        {"shown", trained[step.step]},
                                        {"granted", step.labels},
                                        {"classes", step.classes}});
      if (step.feedback) {
        row["asked"] = step.feedback->asked;
        row["wrong"] = step.feedback->wrong;
        row["spent"] = json_number(step.feedback->spent);
      }
    }
  }
  return all;
}

std::optional<Json> build_world(const PageSource& source, Progress& progress) {
  Json worlds = Json::array();
  for (const PageRun& run : source.runs) {
    progress.pulse();
    const std::vector<ShownCount>& shown = run.seeds.front().shown;
    if (!shown.empty()) {
      worlds.push_back({{"run", run.number},
                        {"increments", increments_json(source, shown)},
                        {"density", density_json(source, shown)},
                        {"feedback", feedback_json(source, run)}});
    }
  }
  if (worlds.empty()) {
    return std::nullopt;
  }
  return Json{{"worlds", std::move(worlds)}};
}

}  // namespace

SectionSpec world_section() {
  return {"world",
          "The world",
          "What each increment showed, which classes came for the first time, and how many labels "
          "were granted.",
          {.truth = false, .several_steps = true},
          30,
          build_world,
          true};
}

}  // namespace tyto
