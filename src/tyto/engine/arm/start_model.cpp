// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/start_model.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/engine/use/model.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {

namespace {

// What decides how it learns and answers: not what it is called.
std::string making_of(const PredictorConfig& config) {
  ConfigNode node = write_predictor(config);
  for (const char* key : {"name", "summary", "stream", "prior_knowledge", "expects"}) {
    node.remove(key);
  }
  return to_yaml(node);
}

std::vector<std::string> missing_from(const std::vector<std::string>& these,
                                      const std::vector<std::string>& those) {
  std::vector<std::string> out;
  std::copy_if(these.begin(), these.end(), std::back_inserter(out), [&](const std::string& name) {
    return std::find(those.begin(), those.end(), name) == those.end();
  });
  std::sort(out.begin(), out.end());
  return out;
}

// Classes that the world has shown before a step.
std::vector<std::string> shown_before_step(const WorldSource& source, const Arm& arm, Index step) {
  const auto world = source.make_world(arm.budget);
  for (Index passed = 0; passed <= step; ++passed) {
    if (!world->advance()) {
      throw Error(ErrorKind::config,
                  fmt::format("from.increment: {} is beyond the world's last increment, {}", step,
                              passed - 1));
    }
  }
  return world->shown_before();
}

}  // namespace

StartModel open_start_model(const Experiment& experiment, const Arm& arm,
                            const WorldSource& world) {
  const StartFrom& from = experiment.from;
  const std::string& protocol = experiment.protocol.find("kind")->text;
  ReadyPredictor model = load_model_elsewhere(from.model);
  StartModel out;
  const std::vector<std::string> known = model.predictor->labels().known_names();
  out.prior_knowledge = fmt::format(
      "the model {}, which learned {} classes elsewhere (its own prior knowledge: {})", from.model,
      known.size(), model.prior_knowledge.empty() ? "not told" : model.prior_knowledge);
  if (!find_protocol(protocol).starts_later) {
    if (from.increment != 1) {
      throw Error(ErrorKind::config,
                  fmt::format("from.increment: the protocol {} cannot begin at a later increment "
                              "with a model; leave it out",
                              protocol));
    }
    out.predictor = std::move(model.predictor);
    return out;
  }
  if (making_of(model.predictor->config()) != making_of(arm.predictor)) {
    throw Error(ErrorKind::config,
                fmt::format("from.model: the predictor \"{}\" is not that of {}, which is \"{}\" "
                            "with options of its own; give the predictor as the run was made with "
                            "that the model is from",
                            arm.predictor.name, from.model, model.predictor->config().name));
  }
  out.skipped = from.increment;
  const std::vector<std::string> shown = shown_before_step(world, arm, from.increment);
  if (const auto more = missing_from(known, shown); !more.empty()) {
    out.cautions.push_back(
        fmt::format("the model {} knows what the world had not shown before increment {}: {}",
                    from.model, from.increment, fmt::join(more, ", ")));
  }
  if (const auto fewer = missing_from(shown, known); !fewer.empty()) {
    out.cautions.push_back(
        fmt::format("the model {} has not learned what the world had shown before increment {}: {}",
                    from.model, from.increment, fmt::join(fewer, ", ")));
  }
  out.predictor = std::move(model.predictor);
  return out;
}

}  // namespace tyto
