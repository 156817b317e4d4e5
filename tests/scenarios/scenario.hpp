// SPDX-License-Identifier: Apache-2.0
// An experiment in a file and what is expected of it; CONTRIBUTING.md shows one.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/made_table.hpp"

#include "tyto/core/config.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/options.hpp"

namespace tyto::testing_support {

// One rule: what is looked at, where, and what it must be. A place that is not named is every one.
struct Expectation {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  std::string measure, count, says;                // one of them
  std::string arm, increment, phase, split, view;  // where
  double at_least = kNone, at_most = kNone, equals = kNone;
  bool missing = false;
  std::string above;
  std::string place, text;  // of the rule itself, for the report

  void describe(OptionVisitor& v) {
    v.field("measure", measure, {}, "a value of measures.csv, by its name");
    v.field("count", count, kCounts, "instead: a number of things in the record");
    v.field("says", says, {},
            "instead: words among those that tell the world, remarks or warnings");
    v.field("arm", arm, {}, "of the run");
    v.field("increment", increment, {}, "a number, or all: the row over all of them");
    v.field("phase", phase, {}, "of the protocol");
    v.field("split", split, {}, "of the samples");
    v.field("view", view, {}, "of the measure");
    v.field("at_least", at_least, {-1e12, 1e12}, "bound");
    v.field("at_most", at_most, {-1e12, 1e12}, "bound");
    v.field("equals", equals, {-1e12, 1e12}, "to nine digits");
    v.field("missing", missing, "the measure is not defined there");
    v.field("above", above, {}, "an arm that must have less, at the same place");
  }

  static constexpr std::string_view kCounts[] = {"arms",    "phases", "increments",    "classes",
                                                 "samples", "known",  "labels_granted"};

  // What is wrong with a value; "": nothing.
  [[nodiscard]] std::string complaint(double value) const {
    if (!std::isnan(at_least) && !(value >= at_least)) {
      return "is below " + std::to_string(at_least);
    }
    if (!std::isnan(at_most) && !(value <= at_most)) {
      return "is above " + std::to_string(at_most);
    }
    if (!std::isnan(equals) &&
        !(std::abs(value - equals) <= 1e-9 * std::max(1.0, std::abs(equals)))) {
      return "is not " + std::to_string(equals);
    }
    return "";
  }
};

struct Scenario {
  std::string summary, error;
  bool begun = false;
  ConfigNode experiment;
  std::vector<std::pair<std::string, MadeTable>> tables;
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<Expectation> expect;
};

inline Expectation read_expectation(const ConfigNode& node) {
  auto rule = read_options<Expectation>(node, "expect");
  rule.place = node.place();
  for (const ConfigPair& pair : node.pairs) {
    rule.text += (rule.text.empty() ? "" : ", ") + pair.key + ": " + pair.value.text;
  }
  if (rule.measure.empty() + rule.count.empty() + rule.says.empty() != 2) {
    throw Error(ErrorKind::config, rule.place + ": a rule has one of measure, count and says");
  }
  const bool judges = !std::isnan(rule.at_least) || !std::isnan(rule.at_most) ||
                      !std::isnan(rule.equals) || rule.missing || !rule.above.empty();
  if (judges != rule.says.empty()) {
    throw Error(ErrorKind::config,
                rule.place +
                    ": a measure or count has at_least, at_most, equals, missing or above, "
                    "and says has none of them");
  }
  return rule;
}

// `here` stands for the folder in which the tables and files of the scenario are.
inline Scenario read_scenario(std::string text, const std::string& name, const std::string& here) {
  for (std::size_t at = 0; (at = text.find("{here}", at)) != std::string::npos;) {
    text.replace(at, 6, here);
  }
  const ConfigNode root = parse_yaml(text, name);
  Scenario scenario;
  ConfigNode data, files, expect;
  read_options(root, "", [&](OptionVisitor& v) {
    v.field("summary", scenario.summary, {}, "what it shows");
    v.field("data", data, "tables made for it, by name");
    v.field("files", files, "texts it needs, by name");
    v.field("experiment", scenario.experiment, "as tyto run reads it");
    v.field("expect", expect, "rules");
    v.field("error", scenario.error, {}, "words of the refusal");
    v.field("begun", scenario.begun,
            "it comes when the run has begun; else there is no folder of a run after it");
  });
  for (const ConfigPair& pair : data.pairs) {
    scenario.tables.emplace_back(pair.key, read_options<MadeTable>(pair.value, "data." + pair.key));
  }
  for (const ConfigPair& pair : files.pairs) {
    scenario.files.emplace_back(pair.key, pair.value.text);
  }
  for (const ConfigNode& item : expect.items) {
    scenario.expect.push_back(read_expectation(item));
  }
  if (scenario.summary.empty() || scenario.experiment.is_null() ||
      scenario.expect.empty() == scenario.error.empty()) {
    throw Error(ErrorKind::config,
                name + ": a scenario has a summary, an experiment, and either expect or error");
  }
  return scenario;
}

}  // namespace tyto::testing_support
