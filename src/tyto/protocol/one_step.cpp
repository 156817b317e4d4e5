// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/one_step.hpp"

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

void add_to_lesson(Lesson& lesson, const Split& split, const Feedback& told, Role role) {
  if (told.row.empty()) {
    return;
  }
  const Samples picked = split.samples.pick(told.row);
  lesson.samples = lesson.samples.empty() ? picked : Samples::joined(lesson.samples, picked);
  lesson.names.insert(lesson.names.end(), told.name.begin(), told.name.end());
  lesson.roles.resize(lesson.names.size(), role);
}

bool OneStepProtocol::step(Exchange& exchange, Work& work) {
  switch (stage_) {
    case Stage::teach:
      if (exchange.world.brief().steps > 1) {
        refuse_second_step();
      }
      if (!exchange.world.advance()) {
        return false;
      }
      teach(exchange, work);
      stage_ = Stage::evaluate;
      return true;
    case Stage::evaluate:
      evaluate(exchange, work);
      stage_ = Stage::done;
      return true;
    case Stage::done: break;
  }
  if (exchange.world.advance()) {  // of a world that does not tell its length
    refuse_second_step();
  }
  return false;
}

void OneStepProtocol::save(State& state) const {
  state.set("stage", static_cast<std::int64_t>(stage_));
  grants_.save(state);
}

void OneStepProtocol::load(const State& state, const Shelf&) {
  stage_ = static_cast<Stage>(state.get<std::int64_t>("stage"));
  grants_ = Grants::loaded(state);
}

PhaseFacts OneStepProtocol::facts(const Exchange& exchange) const {
  return phase_facts(grants_, exchange.world);
}

void OneStepProtocol::refuse_second_step() const {
  throw Error(ErrorKind::config, fmt::format("protocol {}: the world shows a second increment, but "
                                             "{}",
                                             name_, advice_));
}

}  // namespace tyto
