// SPDX-License-Identifier: Apache-2.0
// What OND and CONDDA share: a labelled start, then tests dealt in rounds, each begun with what was
// learned at the start. Every round is watched, predicted and posted.
#pragma once

#include <string>
#include <vector>

#include "tyto/protocol/grants.hpp"
#include "tyto/protocol/protocol.hpp"

namespace tyto {

// Phases: step = the number of the test, phase = its setting, split "test", batch = the round from
// 1. What happens in a round depends on the start, the test and its earlier rounds alone, so that
// tests may be taken in any order and by several processes.
class RoundProtocol : public Protocol {
 public:
  RoundProtocol(std::string name, std::string tests, bool monotone)
      : name_(std::move(name)), tests_(std::move(tests)), monotone_(monotone) {}

  bool step(Exchange& exchange, Work& work) override;

  [[nodiscard]] bool may_be_left() const override { return true; }  // a step is all of a round

  void save(State& state) const override;
  void load(const State& state, const Shelf& shelf) override;

 protected:
  // Learns from what the world tells after a round was posted.
  virtual void hear_back(Exchange&, const Split&, Work&) {}

  void note_grants(const std::vector<std::string>& names) { granted_.add(names); }

 private:
  void learn_start(Exchange& exchange, Work& work);
  void take_round(Exchange& exchange, const Round& round, const Split& split, Work& work);
  [[nodiscard]] std::vector<float> watch(Exchange& exchange, const Round& round, const Split& split,
                                         Work& work);

  std::string name_, tests_;  // "ond", "OND"
  bool monotone_;
  State trained_;
  std::vector<std::string> classes_;  // of the start
  float highest_ = 0;                 // p(changed) in this test so far
  Grants granted_;                    // in this test
};

}  // namespace tyto
