// SPDX-License-Identifier: Apache-2.0
// The open-world learning loop (KOWL-718): per increment an evaluation before feedback, a request
// for labels, grants, an update, and an evaluation after it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/protocol/grants.hpp"
#include "tyto/protocol/oracle.hpp"
#include "tyto/protocol/protocol.hpp"

namespace tyto {

struct OwlOptions {
  std::vector<std::string> observe = {"train"};
  std::string observe_order = "together";
  std::vector<std::string> evaluate = {"train", "validate", "test"};
  bool initial_validate = true;
  Index batch = 0;
  OracleOptions oracle;

  void describe(OptionVisitor& visitor);
  // Of a node, checked; `path` is its dotted name.
  static OwlOptions read(const ConfigNode& node, std::string_view path);
};

// Phases: increment 0 teach, post; every later increment pre, teach, post. With batches, pre and
// teach take turns until all of the increment was shown: labels of one batch are learned before the
// next is predicted.
class Owl final : public Protocol {
 public:
  explicit Owl(OwlOptions options) : options_(std::move(options)), oracle_(options_.oracle) {}

  bool step(Exchange& exchange, Work& work) override;

  void save(State& state) const override;
  void load(const State& state, const Shelf& shelf) override;

  [[nodiscard]] bool may_be_left() const override { return stage_ == Stage::arrive; }

 private:
  enum class Stage : std::uint8_t { arrive, pre, teach, post };

  // Part `number` of `of` of every split; 0 of 0: all of it, at once.
  struct Part {
    Index number = 0, of = 0;

    [[nodiscard]] std::pair<Index, Index> rows(Index size) const;  // begin, end
  };

  [[nodiscard]] Part part(const World& world) const;
  void evaluate(Exchange& exchange, std::string_view phase, const Part& part, Work& work) const;
  void teach_start(Exchange& exchange, Work& work);
  void teach(Exchange& exchange, const Part& part, Work& work);
  // Answers that a part of the increment may still ask for, all of whose parts up to it are
  // `shown`.
  [[nodiscard]] Index affordable(Index shown, Index size) const;

  OwlOptions options_;
  Oracle oracle_;
  Stage stage_ = Stage::arrive;
  Index batch_ = 0;               // of this increment, those done
  Index budget_ = 0, asked_ = 0;  // labels of this increment, answers of it asked for
  double purse_ = 0;              // instead of a budget, where answers have a price
  Index wrong_ = 0;               // labels granted at this increment
  Grants granted_;                // at this increment
};

}  // namespace tyto
