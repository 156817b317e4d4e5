// SPDX-License-Identifier: Apache-2.0
// Where the numbers come from, and how to make them again.
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

// The last of a list, which has an entry per step.
std::string last_of(const Json& list) {
  return list.is_array() && !list.empty() ? list.back().dump() : "-";
}

std::string pairs_text(const Json& object) {  // "classifier slda, memory unlimited"
  std::string text;
  for (const auto& [name, value] : object.items()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

std::string costs_text(const Json& object) {  // a part's words may hold commas
  std::string text;
  for (const auto& [name, value] : object.items()) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, value.get<std::string>());
  }
  return text;
}

Index sum_of(const Json& list) {
  Index sum = 0;
  for (const Json& value : list) {
    sum += value.get<Index>();
  }
  return sum;
}

// "; 120 parameters at the end; the updates touched 120, 40, 0": the first ones and the last.
std::string parameters_text(const Json& complexity) {
  constexpr std::size_t kFirst = 5;
  if (!complexity.contains("parameters")) {
    return "";  // a run from before they were counted
  }
  const Json& changed = complexity.at("parameters_changed");
  std::string touched;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const bool is_shown = i < kFirst || i + 1 == changed.size();
    if (is_shown) {
      touched += fmt::format("{}{}", touched.empty() ? "" : ", ", changed[i].get<Index>());
    } else if (i == kFirst) {
      touched += ", ...";
    }
  }
  return fmt::format("; {} parameters at the end; the updates touched {}",
                     last_of(complexity.at("parameters")), touched);
}

std::string complexity_text(const Json& complexity) {
  const auto forms = complexity.find("forms");
  return fmt::format(
      "{}{}; {} bytes at the end{}", pairs_text(complexity.at("parts")),
      forms == complexity.end() ? "" : fmt::format("; in the form: {}", pairs_text(*forms)),
      last_of(complexity.at("model_bytes")), parameters_text(complexity));
}

// Seconds of the predictor's own calls, all steps together, with the sizes they are of.
std::string timeliness_text(const Json& of, const PageTable* times, std::string_view arm) {
  const Json& sizes = of.at("timeliness");
  if (times == nullptr || !sizes.is_object()) {
    return "seconds per step: the section on cost";
  }
  std::map<std::string, std::pair<double, double>> by_commit;  // one made again counts once
  for (std::size_t row = 0; row < times->rows.size(); ++row) {
    if (times->text(row, "arm") == arm) {
      by_commit[times->text(row, "commit")] = {times->number(row, "learn").value_or(0),
                                               times->number(row, "predict").value_or(0)};
    }
  }
  double learn = 0;
  double predict = 0;
  for (const auto& [commit, seconds] : by_commit) {
    learn += seconds.first;
    predict += seconds.second;
  }
  return fmt::format(
      "learned {} samples in {:.3g} s, predicted {} in {:.3g} s, with {} classes at the end; per "
      "step: the section on cost",
      sum_of(sizes.at("samples_learned")), learn, sum_of(sizes.at("samples_predicted")), predict,
      last_of(of.at("scalability").at("classes_known")));
}

Json seven_properties(const Json& of, const PageTable* times, std::string_view arm) {
  const Json& complexity = of.at("complexity");
  const Json& experience = of.at("experience");
  const Json& plasticity = of.at("plasticity");
  const Json& scalability = of.at("scalability");
  const auto item = [](std::string_view name, std::string value) {
    return Json::array({name, std::move(value)});
  };
  return Json::array(
      {item("complexity", complexity_text(complexity)),
       item("experience", fmt::format("memory {}: {} samples, {} bytes at the end",
                                      experience.at("memory").get<std::string>(),
                                      last_of(experience.at("samples_remembered")),
                                      last_of(experience.at("memory_bytes")))),
       item("regret", of.at("regret").get<std::string>()),
       item("timeliness", timeliness_text(of, times, arm)),
       item("plasticity", plasticity.at("takes_in_classes_without_labels").get<bool>()
                              ? fmt::format("takes in classes without labels: {} discovered in all",
                                            last_of(plasticity.at("classes_discovered")))
                              : "takes in no class without labels"),
       item("scalability",
            fmt::format("{} classes known at the end; {}", last_of(scalability.at("classes_known")),
                        costs_text(scalability.at("cost")))),
       item("prior knowledge", of.at("prior_knowledge").get<std::string>())});
}

Json properties_json(const PageSource& source, const PageRun& run) {
  Json all = Json::array();
  const auto text = run.seeds.front().texts.find("properties.json");
  if (text == run.seeds.front().texts.end()) {
    return all;  // it is written when a run is done
  }
  const Json properties = Json::parse(text->second);
  for (const PageArm& arm : source.arms) {
    if (source.run_of(arm).number == run.number && properties.contains(arm.name)) {
      all.push_back({{"arm", arm.number},
                     {"items", seven_properties(properties.at(arm.name),
                                                run.seeds.front().table("times.csv"), arm.name)}});
    }
  }
  return all;
}

std::optional<Json> build_provenance(const PageSource& source, Progress& /*progress*/) {
  Json runs = Json::array();
  for (const PageRun& run : source.runs) {
    Json facts = Json::array();
    for (const auto& [name, value] : run.facts) {
      facts.push_back(Json::array({name, value}));
    }
    Json datasets = Json::array();
    for (const PageDataset& data : run.datasets) {
      datasets.push_back({{"name", data.name},
                          {"digest", data.digest},
                          {"samples", data.samples},
                          {"source", data.source}});
    }
    runs.push_back({{"run", run.number},
                    {"command", run.command},
                    {"facts", facts},
                    {"datasets", datasets},
                    {"prior_knowledge", run.prior_knowledge},
                    {"properties", properties_json(source, run)},
                    {"experiment", run.experiment}});
  }
  return Json{{"runs", std::move(runs)}};
}

}  // namespace

SectionSpec provenance_section() {
  return {"provenance",
          "Provenance",
          "What the runs were made of, by which program, and the command that makes them again.",
          {.truth = false},
          90,
          build_provenance};
}

}  // namespace tyto
