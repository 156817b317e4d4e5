// SPDX-License-Identifier: Apache-2.0
// A predictor that comes from another world remembers samples under numbers that this world gives
// to samples of its own. They get numbers that no world deals.
#pragma once

#include "tyto/core/state.hpp"

namespace tyto {

// Of a predictor's state, wherever it names samples: in the order they had, from kElsewhere on.
// Those from 2^31 on were learned without a world and stay. Groups (people, source videos) are told
// apart likewise. Held-out samples stay held out.
void renumber_samples(State& predictor);

}  // namespace tyto
