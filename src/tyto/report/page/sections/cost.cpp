// SPDX-License-Identifier: Apache-2.0
// Seconds, memory and labels.
#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "tyto/report/page/arm_facts.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

struct StepCost {
  double learn = 0, predict = 0, other = 0, around = 0;
  double anonymous_mb = 0, mapped_mb = 0;
};

// By step; -1 is the end: the last commit and the measuring. Seconds add up, memory is the
// greatest. A commit that a resumed run made again counts once.
std::map<Index, StepCost> costs_of(const PageTable& times, const std::string& arm) {
  std::map<std::string, std::size_t> last;  // row by commit
  for (std::size_t row = 0; row < times.rows.size(); ++row) {
    if (times.text(row, "arm") == arm) {
      last[times.text(row, "commit")] = row;
    }
  }
  std::map<Index, StepCost> costs;
  for (const auto& [commit, row] : last) {
    const auto number = [&, at = row](std::string_view column) {
      return times.number(at, column).value_or(0.0);
    };
    StepCost& cost = costs[static_cast<Index>(times.number(row, "increment").value_or(-1.0))];
    cost.learn += number("learn");
    cost.predict += number("predict");
    cost.other += number("other");
    cost.around += number("seconds") - number("learn") - number("predict") - number("other");
    cost.anonymous_mb = std::max(cost.anonymous_mb, number("anonymous_mb"));
    cost.mapped_mb = std::max(cost.mapped_mb, number("mapped_mb"));
  }
  return costs;
}

void add_steps(Json& steps, const PageSource& source, const PageArm& arm) {
  for (const PageArm::OfSeed& of : arm.seeds) {
    const PageSeed& seed = source.seed_of(arm, of);
    const PageTable* times = seed.table("times.csv");
    if (times == nullptr) {
      continue;
    }
    for (const auto& [step, cost] : costs_of(*times, arm.name)) {
      steps.push_back({{"arm", arm.number},
                       {"seed", seed.seed},
                       {"step", step},
                       {"seconds",
                        {{"learn", json_number(cost.learn)},
                         {"predict", json_number(cost.predict)},
                         {"other", json_number(cost.other)},
                         {"around", json_number(std::max(0.0, cost.around))}}},
                       {"anonymous_mb", json_number(cost.anonymous_mb)},
                       {"mapped_mb", json_number(cost.mapped_mb)}});
    }
  }
}

void add_labels(Json& labels, const PageArm& arm) {
  Index total = 0;
  double spent = 0;
  const std::vector<StepGrants> steps = grants_of(*arm.seeds.front().record);
  const bool has_price = std::any_of(
      steps.begin(), steps.end(), [](const StepGrants& step) { return step.feedback.has_value(); });
  for (const StepGrants& step : steps) {
    total += step.labels;
    Json& row = labels.emplace_back(
        Json{{"arm", arm.number}, {"step", step.step}, {"granted", step.labels}, {"total", total}});
    if (has_price) {
      spent += step.feedback ? step.feedback->spent : 0.0;  // the start is free
      row["spent"] = json_number(spent);
    }
  }
}

// properties.json has an entry per commit; the last of a step counts.
void add_sizes(Json& sizes, const PageSource& source, const PageArm& arm) {
  const PageSeed& seed = source.seed_of(arm, arm.seeds.front());
  const auto text = seed.texts.find("properties.json");
  if (text == seed.texts.end()) {
    return;
  }
  const Json all = Json::parse(text->second);
  if (!all.contains(arm.name)) {
    return;
  }
  const Json& complexity = all.at(arm.name).at("complexity");
  const Json& experience = all.at(arm.name).at("experience");
  std::map<Index, std::size_t> last;
  for (std::size_t i = 0; i < complexity.at("step").size(); ++i) {
    last[complexity.at("step")[i].get<Index>()] = i;
  }
  for (const auto& [step, i] : last) {
    sizes.push_back({{"arm", arm.number},
                     {"step", step},
                     {"model_bytes", complexity.at("model_bytes").at(i)},
                     {"memory_bytes", experience.at("memory_bytes").at(i)},
                     {"remembered", experience.at("samples_remembered").at(i)}});
  }
}

std::optional<Json> build_cost(const PageSource& source, Progress& progress) {
  Json steps = Json::array();
  Json labels = Json::array();
  Json sizes = Json::array();
  for (const PageArm& arm : source.arms) {
    progress.pulse();
    add_steps(steps, source, arm);
    add_labels(labels, arm);
    add_sizes(sizes, source, arm);
  }
  return Json{
      {"steps", std::move(steps)}, {"labels", std::move(labels)}, {"sizes", std::move(sizes)}};
}

}  // namespace

SectionSpec cost_section() {
  return {"cost",
          "Cost",
          "Seconds and memory by increment, labels granted, and what the predictor keeps.",
          {.truth = false},
          80,
          build_cost};
}

}  // namespace tyto
