// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/start_states.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {

namespace {

const std::string& source_arm(const StartFrom& from, const Arm& arm) {
  return from.arm.empty() ? arm.name : from.arm;
}

// A state fits the predictor that saved it and no other.
void expect_same_predictor(const std::vector<Arm>& source_arms, const std::string& source_name,
                           const Arm& arm, const std::string& run) {
  const auto source = std::find_if(source_arms.begin(), source_arms.end(),
                                   [&](const Arm& other) { return other.name == source_name; });
  if (source == source_arms.end() ||
      to_yaml(write_predictor(source->predictor)) != to_yaml(write_predictor(arm.predictor))) {
    throw Error(ErrorKind::config,
                fmt::format("from: the predictor \"{}\" is not that of the arm \"{}\" in {}: "
                            "compare the predictors in its experiment.yaml",
                            arm.predictor.name, source_name, run));
  }
}

}  // namespace

std::optional<std::filesystem::path> start_state(const Experiment& experiment, const Arm& arm) {
  const StartFrom& from = experiment.from;
  if (from.run.empty()) {
    return std::nullopt;
  }
  return RunFolder(from.run).state(source_arm(from, arm), from.increment - 1);
}

void check_start_states(const Experiment& experiment, const std::vector<Arm>& arms) {
  const StartFrom& from = experiment.from;
  if (!from.run.empty() && !from.model.empty()) {
    throw Error(ErrorKind::config, "from: a run and a model are named; name one of them");
  }
  if (from.run.empty()) {
    return;
  }
  const RunFolder source(from.run);
  if (!source.exists()) {
    throw Error(ErrorKind::config, fmt::format("from.run: {} holds no run", from.run));
  }
  const std::vector<Arm> source_arms =
      arms_of(read_experiment(load_yaml(source.file("experiment.yaml"))));
  for (const Arm& arm : arms) {
    const std::string& name = source_arm(from, arm);
    if (const auto file = start_state(experiment, arm); !std::filesystem::exists(*file)) {
      throw Error(ErrorKind::config,
                  fmt::format("from: {} is not there: either that run has no arm \"{}\", or it did "
                              "not get past increment {}, or it kept no states (record: {{states: "
                              "true}})",
                              file->string(), name, from.increment - 1));
    }
    expect_same_predictor(source_arms, name, arm, from.run);
  }
}

}  // namespace tyto
