// SPDX-License-Identifier: Apache-2.0
// Protocols over a world that shows all of its data at once: one lesson, then one evaluation.
#pragma once

#include <string>
#include <utility>

#include "tyto/protocol/grants.hpp"
#include "tyto/protocol/protocol.hpp"

namespace tyto {

// Rows of a split with the names that were granted for them, as part of a lesson.
void add_to_lesson(Lesson& lesson, const Split& split, const Feedback& told, Role role);

class OneStepProtocol : public Protocol {
 public:
  bool step(Exchange& exchange, Work& work) final;

  [[nodiscard]] bool may_be_left() const final { return stage_ == Stage::done; }

  void save(State& state) const final;
  void load(const State& state, const Shelf& shelf) final;

 protected:
  // `advice` ends the sentence that refuses a world with more than one step.
  OneStepProtocol(std::string name, std::string advice)
      : name_(std::move(name)), advice_(std::move(advice)) {}

  virtual void teach(Exchange& exchange, Work& work) = 0;
  virtual void evaluate(Exchange& exchange, Work& work) const = 0;

  [[nodiscard]] PhaseFacts facts(const Exchange& exchange) const;

  Grants grants_;

 private:
  enum class Stage : std::uint8_t { teach, evaluate, done };

  [[noreturn]] void refuse_second_step() const;

  std::string name_, advice_;
  Stage stage_ = Stage::teach;
};

}  // namespace tyto
