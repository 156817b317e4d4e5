// SPDX-License-Identifier: Apache-2.0
// The open-world learning loop (KOWL-718): per increment an evaluation before feedback, a request
// for labels, grants, an update, and an evaluation after it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/protocol/protocol.hpp"

namespace tyto {

struct OwlOptions {
  std::vector<std::string> observe = {"train"};
  std::string observe_order = "together";
  std::vector<std::string> evaluate = {"train", "validate", "test"};
  bool initial_validate = true;

  void describe(OptionVisitor& visitor);
};

// Phases: increment 0 teach, post; every later increment pre, teach, post.
class Owl final : public Protocol {
 public:
  explicit Owl(OwlOptions options) : options_(std::move(options)) {}

  bool step(Exchange& exchange, Work& work) override;

  void save(State& state) const override;
  void load(const State& state, const Shelf& shelf) override;

 private:
  enum class Stage : std::uint8_t { arrive, teach, post };

  void evaluate(Exchange& exchange, std::string_view phase, Work& work) const;
  void teach_start(Exchange& exchange, Work& work);
  void teach(Exchange& exchange, Work& work);
  void note_grants(const std::vector<std::string>& names);

  OwlOptions options_;
  Stage stage_ = Stage::arrive;
  std::vector<std::string> granted_;  // class names granted at this increment
  Index labels_granted_ = 0;
};

}  // namespace tyto
