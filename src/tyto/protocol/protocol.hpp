// SPDX-License-Identifier: Apache-2.0
// The exchange between a world and a predictor. It knows no algorithm and no measure, and it is the
// information barrier: a predictor gets samples and granted names, nothing else.
#pragma once

#include "tyto/predictor/predictor.hpp"
#include "tyto/record/record.hpp"
#include "tyto/world/world.hpp"

namespace tyto {

// Samples, or fewer where they are wide (samples_per_block); bounds memory, changes no result.
constexpr Index kPredictedAtOnce = 8192;

std::vector<Index> all_rows(const Split& split);

struct Exchange {
  World& world;
  Predictor& predictor;
  Recorder& recorder;
  const Shelf& shelf;  // of the world's stores, for a state that is put back
  Rng stream;          // of this predictor: for what must not hang on the number of the step
};

// A list of steps, each ended by a commit of world, predictor, protocol and record.
struct Protocol : Saved {
  // Does one phase; false: there was none left. Does not outlive a throw: resume from the commit.
  virtual bool step(Exchange& exchange, Work& work) = 0;
  // All of the last step of the world is done, nothing of the next: a state another run may start
  // from.
  [[nodiscard]] virtual bool may_be_left() const = 0;
};

}  // namespace tyto

// Example:
//
//   const auto play = [](Protocol& protocol, Exchange& exchange, Work& work) {
//     while (protocol.step(exchange, work)) {
//       // committed: `exchange.recorder` has the phase
//     }
//   };
