// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/owl.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/protocol/evaluation.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {

namespace {

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const Split& train_of(const World& world) {
  const Split* train = world.deal().find("train");
  if (train == nullptr || train->samples.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("increment {} has no training samples", world.deal().step));
  }
  return *train;
}

// Of classes whose names it has heard, and no others.
void tell_changes(Exchange& exchange) {
  std::vector<LabelChange> heard;
  for (LabelChange change : exchange.world.label_changes()) {
    const LabelSpace& space = exchange.predictor.labels();
    std::erase_if(change.from, [&](const std::string& name) {
      const auto label = space.find(name);
      return !label || space.kind(*label) != LabelKind::known;
    });
    if (!change.from.empty()) {
      heard.push_back(std::move(change));
    }
  }
  if (!heard.empty()) {
    exchange.predictor.change_labels(heard);
  }
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
  visitor.field("batch", batch, {0, 1e9},
                "training samples shown at a time within an increment, the other splits in "
                "proportion; each batch is predicted, then learned; 0: the increment at once");
  oracle.describe(visitor);
}

OwlOptions OwlOptions::read(const ConfigNode& node, std::string_view path) {
  auto options = read_options<OwlOptions>(node, path);
  options.oracle.check(path);
  return options;
}

std::pair<Index, Index> Owl::Part::rows(Index size) const {
  return of == 0 ? std::pair(Index{0}, size)
                 : std::pair((number - 1) * size / of, number * size / of);
}

Owl::Part Owl::part(const World& world) const {
  if (options_.batch == 0) {
    return {};
  }
  const Index batches = (train_of(world).samples.size() + options_.batch - 1) / options_.batch;
  return {batch_ + 1, batches};
}

bool Owl::step(Exchange& exchange, Work& work) {
  if (stage_ == Stage::arrive) {
    if (!exchange.world.advance()) {
      return false;
    }
    granted_ = {};
    asked_ = batch_ = wrong_ = 0;
    purse_ = 0;
    if (exchange.world.deal().step == 0) {
      teach_start(exchange, work);
      stage_ = Stage::post;
      return true;
    }
    tell_changes(exchange);
    budget_ = exchange.world.budget(train_of(exchange.world));
    if (oracle_.keeps_account()) {
      purse_ = exchange.world.purse(train_of(exchange.world));
    }
    stage_ = Stage::pre;
  }
  const Part now = stage_ == Stage::post ? Part{} : part(exchange.world);
  switch (stage_) {
    case Stage::arrive: break;
    case Stage::pre:
      evaluate(exchange, "pre", now, work);
      stage_ = Stage::teach;
      break;
    case Stage::teach:
      teach(exchange, now, work);
      ++batch_;
      stage_ = batch_ < now.of ? Stage::pre : Stage::post;
      break;
    case Stage::post:
      evaluate(exchange, "post", now, work);
      stage_ = Stage::arrive;
      break;
  }
  return true;
}

void Owl::evaluate(Exchange& exchange, std::string_view phase, const Part& part, Work& work) const {
  const Deal& deal = exchange.world.deal();
  const bool learning = phase == "pre";
  std::vector<Split> shown;
  for (const Split& split : deal.splits) {
    const auto [begin, end] = part.rows(split.samples.size());
    if (begin < end) {
      shown.push_back({split.name, split.samples.slice(begin, end - begin)});
    }
  }
  std::map<std::string, std::vector<float>> changed;
  const auto observe = [&](const Split& split) {
    if (learning && contains(options_.observe, split.name)) {
      Work own = work.fork(fmt::format("observe {}", split.name));
      changed[split.name] = exchange.predictor.observe(split.samples, own);
    }
  };
  if (options_.observe_order == "together") {
    for (const Split& split : shown) {
      observe(split);
    }
  }
  PhaseFacts facts = phase_facts(granted_, exchange.world);
  if (oracle_.keeps_account() && deal.step > 0) {
    facts.feedback = {oracle_.price() * static_cast<double>(asked_), asked_, wrong_};
  }
  for (const Split& split : shown) {
    if (options_.observe_order == "in_turn") {
      observe(split);
    }
    // What is learned is asked of samples seen under a nuisance; nothing is learned from them.
    const bool nuisance = !nuisance_of(split.name).empty();
    if (nuisance ? learning || !contains(options_.evaluate, "test")
                 : !contains(options_.evaluate, split.name)) {
      continue;
    }
    evaluate_split(exchange, {deal.step, std::string(phase), split.name, part.number}, facts, split,
                   changed[split.name], work);
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
  granted_.add(lesson.names);
  Work attending = work.fork("attend");
  oracle_.attend(exchange.world, train, attending);
}

Index Owl::affordable(Index shown, Index size) const {
  if (!oracle_.keeps_account()) {
    return budget_ * shown / size - asked_;
  }
  if (oracle_.price() == 0) {
    return size;
  }
  constexpr double kRoundedUp = 1e-9;  // 0.3 pays for three answers at 0.1
  const double part = purse_ * static_cast<double>(shown) / static_cast<double>(size);
  const double answers = std::floor(part / oracle_.price() + kRoundedUp);
  return static_cast<Index>(std::min(answers, static_cast<double>(size))) - asked_;
}

void Owl::teach(Exchange& exchange, const Part& part, Work& work) {
  const Split& train = train_of(exchange.world);
  if (oracle_.gives_measures()) {
    const Feedback told = exchange.world.ask(FeedbackKind::score, train, {});
    std::map<std::string, double> measures;
    for (std::size_t i = 0; i < told.name.size(); ++i) {
      measures[told.name[i]] = told.value[i];
    }
    exchange.predictor.hear(measures);
  }
  if (!oracle_.gives_labels()) {
    return;
  }
  if (batch_ == 0) {
    Work attending = work.fork("attend");
    oracle_.attend(exchange.world, train, attending);
  }
  // A batch may use as much of the increment's budget as its share of the samples.
  const Index size = train.samples.size();
  const auto [begin, end] = part.rows(size);
  const Index budget = affordable(end, size);
  std::vector<Index> order;
  if (budget > 0) {
    Work asking = work.fork("request");
    const Index rows = oracle_.rows_wanted(budget, end - begin);
    order = exchange.predictor.request(train.samples.slice(begin, end - begin), rows, asking);
    order.resize(static_cast<std::size_t>(std::min<Index>(rows, std::ssize(order))));
    for (Index& row : order) {
      row += begin;
    }
  } else if (!oracle_.is_late()) {
    return;
  }
  Work answering = work.fork("answer");
  const Oracle::Said said = oracle_.answer(
      {exchange.world, exchange.predictor, train, begin, end, order, std::max<Index>(0, budget)},
      answering);
  asked_ += said.asked;
  wrong_ += said.wrong;
  if (said.lesson) {
    Work learning = work.fork("learn");
    exchange.predictor.learn(*said.lesson, learning);
    granted_.add(said.lesson->names);
  }
}

void Owl::save(State& state) const {
  state.set("stage", static_cast<std::int64_t>(stage_));
  state.set("batch", std::int64_t{batch_});
  state.set("budget", std::int64_t{budget_});
  state.set("asked", std::int64_t{asked_});
  if (oracle_.keeps_account()) {  // others' archives keep their bytes
    state.set("purse", double{purse_});
    state.set("wrong", std::int64_t{wrong_});
  }
  granted_.save(state);
  oracle_.save(state.make_child("oracle"));
}

void Owl::load(const State& state, const Shelf& shelf) {
  stage_ = static_cast<Stage>(state.get<std::int64_t>("stage"));
  batch_ = static_cast<Index>(state.get<std::int64_t>("batch"));
  budget_ = static_cast<Index>(state.get<std::int64_t>("budget"));
  asked_ = static_cast<Index>(state.get<std::int64_t>("asked"));
  purse_ = state.has("purse") ? state.get<double>("purse") : 0.0;
  wrong_ = state.has("wrong") ? static_cast<Index>(state.get<std::int64_t>("wrong")) : 0;
  granted_ = Grants::loaded(state);
  oracle_.load(state.child("oracle"), shelf);
}

ProtocolSpec owl_spec() {
  ProtocolSpec spec = protocol_spec<OwlOptions, Owl>(
      "owl", "open-world learning: predict an increment, ask for labels, learn, predict it again",
      "Prijatelj et al., Human Activity Recognition in an Open World, JAIR 81, 2024");
  describe_options<OwlOptions>(spec, OwlOptions::read);
  spec.make = [](const ConfigNode& node, std::string_view path) -> std::unique_ptr<Protocol> {
    return std::make_unique<Owl>(OwlOptions::read(node, path));
  };
  spec.is_standard = true;
  spec.predictions_per_step = 2;
  spec.headline = {
      {"known_accuracy_before", "known right",
       "Before feedback: share of the samples of classes it had learned that got their right name; "
       "calling one new is wrong.",
       "pre", "classification", "known_accuracy"},
      {"novelty_auroc_before", "new vs known",
       "Before feedback: chance that a sample of a new class scores as newer than one of a known "
       "class, whatever the threshold; 0.5 is a coin. Mean over the increments.",
       "pre", "detection", "auroc"},
      {"noticed_before", "new noticed",
       "Before feedback: share of the samples of new classes that were called new.", "pre",
       "detection", "detection_rate"},
      {"false_alarms_before", "false alarms",
       "Before feedback: share of the samples of known classes that were called new.", "pre",
       "detection", "false_alarm_rate"},
      {"accuracy_after", "named after",
       "After feedback: share of all samples, of old and new classes, that got their right name; "
       "\"unknown\" is no name. All increments pooled.",
       "post", "raw", "accuracy"},
      {"reaction_time", "reaction time",
       "Before feedback: how much of the new passed by until something was called new; 0 the first "
       "new sample was noticed, 1 none was. Mean over the increments.",
       "pre", "detection", "reaction_time"},
      {"forgotten", "forgotten",
       "After feedback: how much less often the old classes got their right name at their last "
       "test "
       "than at their best one. Mean over these classes.",
       "post", "raw", "forgetting"},
  };
  spec.order = {{"pre", "post"}, {"train", "validate", "test"}};
  spec.whole_splits = true;
  spec.starts_later = true;
  return spec;
}

}  // namespace tyto
