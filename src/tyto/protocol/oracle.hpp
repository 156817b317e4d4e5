// SPDX-License-Identifier: Apache-2.0
// Who answers the requests of a predictor: with labels, late or wrong at times, with nothing but
// the measures of its predictions, or not at all.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "tyto/core/options.hpp"
#include "tyto/predictor/predictor.hpp"
#include "tyto/world/world.hpp"

namespace tyto {

struct OracleOptions {
  std::string kind = "labels";  // labels, measures, none
  Index delay = 0;              // requests that pass before an answer arrives
  double noise = 0;             // share of the labels that are wrong

  void describe(OptionVisitor& visitor);
};

class Oracle {
 public:
  explicit Oracle(OracleOptions options) : options_(std::move(options)) {}

  [[nodiscard]] bool gives_labels() const { return options_.kind == "labels"; }

  [[nodiscard]] bool is_late() const { return options_.delay > 0; }

  [[nodiscard]] bool gives_measures() const { return options_.kind == "measures"; }

  // One request: asks the world about rows of `split` in this order, then hands out what is due
  // now, if that is anything. A wrong label is another class shown at an earlier increment;
  // which samples get one is a matter of their ids, the same for every predictor.
  std::optional<Lesson> answer(World& world, const Split& split, Rows order);

  void save(State& state) const;
  void load(const State& state, const Shelf& shelf);

 private:
  OracleOptions options_;
  std::deque<Lesson> pending_;  // one per request, also if nothing was granted
};

}  // namespace tyto
