// SPDX-License-Identifier: Apache-2.0
// One phase of any protocol: a split is predicted block by block, each answer is posted to the
// world, and everything goes on record.
#pragma once

#include <functional>

#include "tyto/protocol/grants.hpp"
#include "tyto/protocol/protocol.hpp"

namespace tyto {

// What is known when a phase begins: of the labels granted, and of what the world has shown.
PhaseFacts phase_facts(const Grants& granted, const World& world);

// Changes an answer before anybody sees it; `begin` is the first row of the split it is about.
using Adjust = std::function<void(Prediction& prediction, Index begin)>;

// `split` is a split of the deal or some rows of one, under the name the world knows it by; `key`
// has the name it goes by in the record. `changed` has an entry per sample or none.
void evaluate_split(Exchange& exchange, const PhaseKey& key, const PhaseFacts& facts,
                    const Split& split, std::span<const float> changed, Work& work,
                    const Adjust& adjust = {});

}  // namespace tyto
