// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/evaluation.hpp"

#include "tyto/core/parallel.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

PhaseFacts phase_facts(const Grants& granted, const World& world) {
  PhaseFacts facts{granted.classes, world.shown_before(), granted.labels};
  facts.last_shown = world.last_shown();
  return facts;
}

void evaluate_split(Exchange& exchange, const PhaseKey& key, const PhaseFacts& facts,
                    const Split& split, std::span<const float> changed, Work& work,
                    const Adjust& adjust) {
  exchange.recorder.begin(key, facts);
  const Index most = samples_per_block(split.samples, kPredictedAtOnce);
  in_blocks(split.samples.size(), most, [&](Index begin, Index count) {
    work.progress.pulse();
    const Split block{split.name, split.samples.slice(begin, count)};
    Prediction prediction = exchange.predictor.predict(block.samples, exchange.recorder.ask());
    if (adjust) {
      adjust(prediction, begin);
    }
    const auto piece =
        changed.empty() ? changed : changed.subspan(at(begin), static_cast<std::size_t>(count));
    exchange.world.post({block, prediction, piece});
    exchange.recorder.add(block.samples, prediction, piece);
  });
  exchange.recorder.end();
}

}  // namespace tyto
