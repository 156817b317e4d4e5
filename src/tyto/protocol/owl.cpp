// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/owl.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {

namespace {

constexpr Index kBatch = 8192;  // samples per prediction; bounds memory, changes no result

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<Index> all_rows(const Split& split) {
  std::vector<Index> rows(static_cast<std::size_t>(split.samples.size()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

const Split& train_of(const World& world) {
  const Split* train = world.deal().find("train");
  if (train == nullptr || train->samples.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("increment {} has no training samples", world.deal().step));
  }
  return *train;
}

}  // namespace

void OwlOptions::describe(OptionVisitor& visitor) {
  static constexpr std::array<std::string_view, 3> kSplits{"train", "validate", "test"};
  static constexpr std::array<std::string_view, 2> kOrders{"together", "in_turn"};
  visitor.field("observe", observe, kSplits,
                "splits a predictor may learn from without labels, before it predicts");
  visitor.field("observe_order", observe_order, kOrders,
                "together: all of them before any prediction; in_turn: each just before its own "
                "prediction, as the released GMM-FINCH does");
  visitor.field("evaluate", evaluate, kSplits, "splits that are predicted and recorded");
  visitor.field("initial_validate", initial_validate,
                "give the labels of increment 0's validate split, as held-out samples");
}

bool Owl::step(Exchange& exchange, Work& work) {
  switch (stage_) {
    case Stage::arrive:
      if (!exchange.world.advance()) {
        return false;
      }
      granted_.clear();
      labels_granted_ = 0;
      if (exchange.world.deal().step == 0) {
        teach_start(exchange, work);
        stage_ = Stage::post;
      } else {
        evaluate(exchange, "pre", work);
        stage_ = Stage::teach;
      }
      return true;
    case Stage::teach:
      teach(exchange, work);
      stage_ = Stage::post;
      return true;
    case Stage::post:
      evaluate(exchange, "post", work);
      stage_ = Stage::arrive;
      return true;
  }
  return false;
}

void Owl::evaluate(Exchange& exchange, std::string_view phase, Work& work) const {
  const Deal& deal = exchange.world.deal();
  const bool learning = phase == "pre";
  std::map<std::string, std::vector<float>> changed;
  const auto observe = [&](const Split& split) {
    if (learning && contains(options_.observe, split.name) && !split.samples.empty()) {
      Work own = work.fork(fmt::format("observe {}", split.name));
      changed[split.name] = exchange.predictor.observe(split.samples, own);
    }
  };
  if (options_.observe_order == "together") {
    for (const Split& split : deal.splits) {
      observe(split);
    }
  }
  const PhaseFacts facts{granted_, exchange.world.shown_before(), labels_granted_};
  for (const Split& split : deal.splits) {
    if (split.samples.empty()) {
      continue;
    }
    if (options_.observe_order == "in_turn") {
      observe(split);
    }
    if (!contains(options_.evaluate, split.name)) {
      continue;
    }
    const std::vector<float>& change = changed[split.name];
    exchange.recorder.begin({deal.step, std::string(phase), split.name}, facts);
    in_blocks(split.samples.size(), kBatch, [&](Index begin, Index count) {
      work.progress.pulse();
      const Split batch{split.name, split.samples.slice(begin, count)};
      const Prediction prediction = exchange.predictor.predict(batch.samples);
      const auto part = change.empty() ? std::span<const float>()
                                       : std::span(change).subspan(static_cast<std::size_t>(begin),
                                                                   static_cast<std::size_t>(count));
      exchange.world.post({batch, prediction, part});
      exchange.recorder.add(batch.samples, prediction, part);
    });
    exchange.recorder.end();
  }
}

void Owl::teach_start(Exchange& exchange, Work& work) {
  const Split& train = train_of(exchange.world);
  const auto granted = exchange.world.ask(FeedbackKind::labels, train, all_rows(train));
  Lesson lesson{train.samples.pick(granted.row), granted.name, {}};
  const Split* validate = exchange.world.deal().find("validate");
  if (options_.initial_validate && validate != nullptr && !validate->samples.empty()) {
    // The validate split stands in for the holdout rule: nothing of train need be held out.
    lesson.roles.assign(lesson.names.size(), Role::fit);
    const auto held = exchange.world.ask(FeedbackKind::labels, *validate, all_rows(*validate));
    lesson.samples = Samples::joined(lesson.samples, validate->samples.pick(held.row));
    lesson.names.insert(lesson.names.end(), held.name.begin(), held.name.end());
    lesson.roles.resize(lesson.names.size(), Role::hold);
  }
  exchange.predictor.learn(lesson, work);
  note_grants(lesson.names);
}

void Owl::teach(Exchange& exchange, Work& work) {
  const Split& train = train_of(exchange.world);
  const Index budget = exchange.world.budget(train);
  if (budget == 0) {
    return;
  }
  Work asking = work.fork("request");
  const auto order = exchange.predictor.request(train.samples, budget, asking);
  const auto granted = exchange.world.ask(FeedbackKind::labels, train, order);
  if (granted.row.empty()) {
    return;
  }
  Work learning = work.fork("learn");
  exchange.predictor.learn({train.samples.pick(granted.row), granted.name, {}}, learning);
  note_grants(granted.name);
}

void Owl::note_grants(const std::vector<std::string>& names) {
  const std::set<std::string> classes(names.begin(), names.end());
  granted_.assign(classes.begin(), classes.end());
  labels_granted_ = static_cast<Index>(names.size());
}

void Owl::save(State& state) const {
  state.set("stage", static_cast<std::int64_t>(stage_));
  state.set("granted", granted_);
  state.set("labels_granted", std::int64_t{labels_granted_});
}

void Owl::load(const State& state, const Shelf&) {
  stage_ = static_cast<Stage>(state.get<std::int64_t>("stage"));
  granted_ = state.get<std::vector<std::string>>("granted");
  labels_granted_ = static_cast<Index>(state.get<std::int64_t>("labels_granted"));
}

ProtocolSpec owl_spec() {
  return protocol_spec<OwlOptions, Owl>(
      "owl", "open-world learning: predict an increment, ask for labels, learn, predict it again",
      "Prijatelj et al., Human Activity Recognition in an Open World, JAIR 81, 2024");
}

}  // namespace tyto
