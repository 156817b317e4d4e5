// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/round_protocol.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/protocol/decided_belief.hpp"
#include "tyto/protocol/evaluation.hpp"

namespace tyto {

bool RoundProtocol::step(Exchange& exchange, Work& work) {
  if (!exchange.world.advance()) {
    return false;
  }
  const Deal& deal = exchange.world.deal();
  if (!deal.round) {
    if (deal.step != 0) {
      throw Error(ErrorKind::config,
                  fmt::format("the protocol {} takes tests in rounds, and step {} of this world is "
                              "none; a world of tests is kind: rounds",
                              name_, deal.step));
    }
    learn_start(exchange, work);
    return true;
  }
  if (deal.round->protocol != tests_) {
    throw Error(ErrorKind::config,
                fmt::format("test {} is one of {}, and the protocol {} takes those of {}",
                            deal.round->test, deal.round->protocol, name_, tests_));
  }
  Work own{exchange.stream.fork(deal.round->test, static_cast<std::uint64_t>(deal.round->number)),
           work.progress};
  take_round(exchange, *deal.round, deal.splits.front(), own);
  return true;
}

void RoundProtocol::learn_start(Exchange& exchange, Work& work) {
  if (exchange.predictor.labels().known().empty()) {  // else it has learned elsewhere
    const Split* train = exchange.world.deal().find("train");
    if (train == nullptr || train->samples.empty()) {
      throw Error(ErrorKind::data, "the start of this world has no training samples");
    }
    const Feedback told = exchange.world.ask(FeedbackKind::labels, *train, all_rows(*train));
    exchange.predictor.learn({train->samples.pick(told.row), told.name, {}}, work);
  }
  exchange.predictor.save(trained_);
  classes_ = exchange.predictor.labels().known_names();
}

std::vector<float> RoundProtocol::watch(Exchange& exchange, const Round& round, const Split& split,
                                        Work& work) {
  const Index size = split.samples.size();
  Work watching = work.fork("observe");
  std::vector<float> changed(at(size), 0.0F);
  if (round.changed_from) {
    // What lies before the change cannot hold a new class: it is not searched for any.
    const Index from = std::clamp<Index>(*round.changed_from, 0, size);
    std::fill(changed.begin() + from, changed.end(), 1.0F);
    if (from < size) {
      exchange.predictor.observe(split.samples.slice(from, size - from), watching);
    }
    return changed;
  }
  const std::vector<float> said = exchange.predictor.observe(split.samples, watching);
  for (std::size_t i = 0; i < said.size(); ++i) {
    highest_ = std::max(highest_, said[i]);
    changed[i] = monotone_ ? highest_ : said[i];
  }
  return changed;
}

void RoundProtocol::take_round(Exchange& exchange, const Round& round, const Split& split,
                               Work& work) {
  if (round.number == 0) {
    exchange.predictor.load(trained_, exchange.shelf);
    highest_ = 0;
    granted_ = {};
  }
  const std::vector<float> changed = watch(exchange, round, split, work);
  const std::vector<Label> known = exchange.predictor.labels().known();
  std::vector<Label> start;
  for (const std::string& name : classes_) {
    start.push_back(*exchange.predictor.labels().find(name));
  }
  const Index before = round.changed_from.value_or(0);
  const auto adjust = [&](Prediction& prediction, Index begin) {
    for (Index row = 0; row < std::ssize(prediction.label); ++row) {
      if (begin + row < before) {
        believe_known(prediction, row, known);
      }
      believe_decision(prediction, row, start);
    }
  };
  const PhaseFacts facts = phase_facts(granted_, exchange.world);
  evaluate_split(exchange, {round.test_number, round.setting, "test", round.number + 1}, facts,
                 split, changed, work, adjust);
  work.progress.note(fmt::format("{} {}, round {}: p(changed) {:.2f}", round.test, round.setting,
                                 round.number + 1, changed.empty() ? 0.0F : changed.back()));
  hear_back(exchange, split, work);
}

void RoundProtocol::save(State& state) const {
  state.make_child("trained") = trained_;
  state.set("classes", classes_);
  state.set("highest", static_cast<double>(highest_));
  granted_.save(state);
}

void RoundProtocol::load(const State& state, const Shelf&) {
  trained_ = state.child("trained");
  classes_ = state.get<std::vector<std::string>>("classes");
  highest_ = static_cast<float>(state.get<double>("highest"));
  granted_ = Grants::loaded(state);
}

}  // namespace tyto
