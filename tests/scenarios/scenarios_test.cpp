// SPDX-License-Identifier: Apache-2.0
// Runs tests/scenarios/*.yaml, each a test of its own, and says which rule found which value.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/engine/run/run.hpp"
#include "tyto/engine/run/run_info.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::Expectation;
using testing_support::Scenario;
using testing_support::Scratch;
namespace fs = std::filesystem;

const fs::path kScenarios = testing_support::in_tree("/tests/scenarios");

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kScenarios)) {
    if (entry.path().extension() == ".yaml") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

struct Found {
  std::string where;
  std::optional<double> value;
};

bool asked(const std::string& wanted, const std::string& there) {
  return wanted.empty() || wanted == there;
}

std::vector<Found> found_measures(const Expectation& rule, const ArmOutcome& arm) {
  std::vector<Found> found;
  for (const MeasureRow& row : arm.rows) {
    if (row.measure == rule.measure && row.novel_to == "predictor" &&
        asked(rule.increment, row.step_name()) && asked(rule.phase, row.phase) &&
        asked(rule.split, row.split) && asked(rule.view, row.view)) {
      found.push_back(
          {"increment " + row.step_name() + ", " + row.phase + ", " + row.split + ", " + row.view,
           row.value});
    }
  }
  return found;
}

std::vector<Found> found_counts(const Expectation& rule, const RunFolder& folder,
                                const std::string& arm) {
  const StoredRecord record(folder, arm, read_run_info(folder.file("run.json")).order);
  std::vector<PhaseKey> keys;
  std::set<Index> steps;
  for (const PhaseKey& key : record.phases()) {
    if (asked(rule.increment, std::to_string(key.step)) && asked(rule.phase, key.phase) &&
        asked(rule.split, key.split)) {
      keys.push_back(key);
      steps.insert(key.step);
    }
  }
  if (rule.count == "phases") {
    return {{"all", static_cast<double>(keys.size())}};
  }
  if (rule.count == "increments") {
    return {{"all", static_cast<double>(steps.size())}};
  }
  std::vector<Found> found;
  double samples = 0;
  std::set<std::string> classes;
  for (const PhaseKey& key : keys) {
    const Phase phase = record.phase(key);
    samples += static_cast<double>(phase.size());
    for (const SampleId id : phase.sample) {
      classes.insert(record.truth()->label_of(id));
    }
    if (rule.count == "known") {
      found.push_back({key.name(), static_cast<double>(phase.known.size())});
    } else if (rule.count == "labels_granted") {
      found.push_back({key.name(), static_cast<double>(phase.labels_granted)});
    }
  }
  if (rule.count == "samples") {
    return {{"all", samples}};
  }
  if (rule.count == "classes") {
    return {{"all", static_cast<double>(classes.size())}};
  }
  return found;
}

// For whoever writes a scenario: everything that a rule may name.
void show_values(const RunOutcome& outcome) {
  for (const ArmOutcome& arm : outcome.arms) {
    for (const MeasureRow& row : arm.rows) {
      if (row.novel_to == "predictor") {
        std::cout << arm.arm << " " << row.step_name() << " " << row.phase << " " << row.split
                  << " " << row.view << " " << row.measure << " "
                  << (row.value ? std::to_string(*row.value) : "none") << "\n";
      }
    }
  }
}

// The run of a scenario, and what its rules find in it.
class Judge {
 public:
  Judge(const RunOutcome& outcome, std::string scenario)
      : outcome_(outcome), scenario_(std::move(scenario)) {}

  void judge(const Expectation& rule) const {
    if (!rule.says.empty()) {
      judge_words(rule);
      return;
    }
    if (rule.count == "arms") {
      judge_value(rule, {"all", static_cast<double>(outcome_.arms.size())}, "the run");
      return;
    }
    bool is_there = false;
    for (const ArmOutcome& arm : outcome_.arms) {
      if (asked(rule.arm, arm.arm)) {
        is_there = true;
        judge_arm(rule, arm);
      }
    }
    if (!is_there) {
      std::string names;
      for (const ArmOutcome& arm : outcome_.arms) {
        names += " " + arm.arm;
      }
      fail(rule, "there is no such arm, only" + names);
    }
  }

 private:
  void fail(const Expectation& rule, const std::string& what) const {
    ADD_FAILURE() << "scenario " << scenario_ << ", rule " << rule.place << " {" << rule.text
                  << "}: " << what;
  }

  [[nodiscard]] std::vector<Found> look(const Expectation& rule, const ArmOutcome& arm) const {
    return rule.measure.empty() ? found_counts(rule, RunFolder(outcome_.folder), arm.arm)
                                : found_measures(rule, arm);
  }

  void judge_arm(const Expectation& rule, const ArmOutcome& arm) const {
    const std::vector<Found> found = look(rule, arm);
    if (found.empty()) {
      std::set<std::string> places;
      for (const MeasureRow& row : arm.rows) {
        if (row.measure == rule.measure) {
          places.insert(row.step_name() + "/" + row.phase + "/" + row.split + "/" + row.view);
        }
      }
      std::string there;
      for (const std::string& place : places) {
        there += " " + place;
      }
      fail(rule, "arm " + arm.arm + " has nothing there; it has" +
                     (there.empty() ? " no such measure" : there));
    }
    for (const Found& one : found) {
      judge_value(rule, one, arm.arm);
    }
    if (!rule.above.empty()) {
      judge_above(rule, arm.arm, found);
    }
  }

  void judge_value(const Expectation& rule, const Found& found, const std::string& who) const {
    if (rule.missing || !found.value) {
      if (rule.missing && found.value) {
        fail(rule, who + ", " + found.where + ": found " + std::to_string(*found.value));
      } else if (!rule.missing) {
        fail(rule, who + ", " + found.where + ": the measure is not defined there");
      }
      return;
    }
    if (const std::string wrong = rule.complaint(*found.value); !wrong.empty()) {
      fail(rule, who + ", " + found.where + ": found " + std::to_string(*found.value) + ", which " +
                     wrong);
    }
  }

  void judge_above(const Expectation& rule, const std::string& who,
                   const std::vector<Found>& found) const {
    const auto other = std::ranges::find(outcome_.arms, rule.above, &ArmOutcome::arm);
    if (other == outcome_.arms.end()) {
      fail(rule, "there is no arm " + rule.above);
      return;
    }
    const std::vector<Found> less = look(rule, *other);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool holds = i < less.size() && less[i].where == found[i].where && found[i].value &&
                         less[i].value && *found[i].value > *less[i].value;
      if (!holds) {
        fail(rule,
             who + ", " + found[i].where + ": found " +
                 (found[i].value ? std::to_string(*found[i].value) : "none") + ", and " +
                 rule.above + " has " +
                 (i < less.size() && less[i].value ? std::to_string(*less[i].value) : "none"));
      }
    }
  }

  void judge_words(const Expectation& rule) const {
    std::string said = outcome_.world;
    for (const auto& texts : {outcome_.remarks, outcome_.warnings}) {
      for (const std::string& text : texts) {
        said += "\n" + text;
      }
    }
    if (said.find(rule.says) == std::string::npos) {
      fail(rule, "what was said is\n" + said);
    }
  }

  const RunOutcome& outcome_;
  std::string scenario_;
};

class Scenarios : public testing::TestWithParam<std::string> {};

TEST_P(Scenarios, holds) {
  const Scratch scratch;
  const std::string file = GetParam() + ".yaml";
  const Scenario scenario = testing_support::read_scenario(
      testing_support::slurp(kScenarios / file), file, scratch.path().string());
  for (const auto& [name, table] : scenario.tables) {
    testing_support::write_table(scratch / ("datasets/" + name), table);
  }
  for (const auto& [name, text] : scenario.files) {
    write_file(scratch / name, text);
  }
  RunOptions options;
  options.folder = scratch / "run";
  options.report = false;
  Progress quiet;
  RunOutcome outcome;
  try {
    const Catalog catalog({scratch / "datasets", testing_support::in_tree("/datasets")});
    outcome = run_experiment(read_experiment(scenario.experiment), catalog, options, quiet);
  } catch (const Error& error) {
    ASSERT_FALSE(scenario.error.empty()) << "scenario " << file << " was refused: " << error.what();
    EXPECT_THAT(error.what(), HasSubstr(scenario.error)) << "scenario " << file;
    EXPECT_EQ(fs::exists(scratch / "run"), scenario.begun)
        << "scenario " << file << ": whether the refusal leaves a folder";
    return;
  }
  ASSERT_TRUE(scenario.error.empty())
      << "scenario " << file << " should be refused with: " << scenario.error;
  if (std::getenv("TYTO_SCENARIO_VALUES") != nullptr) {
    show_values(outcome);
  }
  const Judge judge(outcome, GetParam());
  for (const Expectation& rule : scenario.expect) {
    judge.judge(rule);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Scenarios, testing::ValuesIn(scenario_names()),
                         [](const auto& test) { return test.param; });

TEST(ScenarioFiles, are_three_at_least_of_every_protocol) {
  std::map<std::string, int> runs, refusals;
  for (const std::string& name : scenario_names()) {
    const Scenario scenario = testing_support::read_scenario(
        testing_support::slurp(kScenarios / (name + ".yaml")), name, "here");
    const ConfigNode* node = scenario.experiment.find("protocol");
    const ConfigNode* kind = node == nullptr ? nullptr : node->find("kind");
    const std::string protocol = node == nullptr   ? standard_protocol().name
                                 : kind == nullptr ? node->text
                                                   : kind->text;
    EXPECT_TRUE(name.starts_with(protocol + "_")) << name << " is of the protocol " << protocol;
    ++(scenario.error.empty() ? runs : refusals)[protocol];
  }
  for (const ProtocolSpec& spec : protocol_specs()) {
    EXPECT_GE(runs[spec.name], 3) << spec.name << " needs scenarios";
    EXPECT_GE(refusals[spec.name], 1) << spec.name << " needs one of bad input";
  }
}

TEST(ScenarioRules, are_refused_where_they_say_nothing) {
  const auto complaint = [](const std::string& text) {
    try {
      (void)testing_support::read_scenario("summary: s\nexperiment: {}\n" + text, "s.yaml", "");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(complaint("expect: [{measure: mcc, at_least: 0}]\n"), "");
  EXPECT_THAT(complaint("expect: [{measure: mcc}]\n"), HasSubstr("s.yaml:3:"));
  EXPECT_THAT(complaint("expect: [{measure: mcc, at_lest: 0}]\n"), HasSubstr("at_least"));
  EXPECT_THAT(complaint("expect: [{measure: mcc, count: arms, equals: 1}]\n"), HasSubstr("one of"));
  EXPECT_THAT(complaint("expect: [{says: x, equals: 1}]\n"), HasSubstr("none of them"));
  EXPECT_THAT(complaint(""), HasSubstr("either expect or error"));
  EXPECT_THAT(complaint("expect: [{says: x}]\nerror: y\n"), HasSubstr("either expect or error"));
}

TEST(ScenarioRules, tell_values_that_break_them) {
  Expectation rule;
  rule.at_least = 0.5;
  rule.at_most = 0.7;
  EXPECT_EQ(rule.complaint(0.5), "");
  EXPECT_THAT(rule.complaint(0.49), HasSubstr("below 0.5"));
  EXPECT_THAT(rule.complaint(0.71), HasSubstr("above 0.7"));
  EXPECT_NE(rule.complaint(Expectation::kNone), "") << "what is no number keeps no bound";
  rule = {};
  rule.equals = 3;
  EXPECT_EQ(rule.complaint(3), "");
  EXPECT_NE(rule.complaint(3.001), "");
}

}  // namespace
}  // namespace tyto
