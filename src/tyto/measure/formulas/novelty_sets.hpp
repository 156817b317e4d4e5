// SPDX-License-Identifier: Apache-2.0
// The seven sets of novelty: a sample may be new in the world, new as observed, and called new by
// the predictor, each or not.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "tyto/measure/formulas/confusion.hpp"

namespace tyto {

// The number of a set is 4 x world + 2 x observation + predictor.
enum class NoveltySet : std::uint8_t {
  nothing,                   // known, seen as ever, and taken for known
  faux_agent,                // out of nothing
  ignored_faux_observation,  // only the observation changed, rightly ignored
  faux_observed,             // only the observation changed, taken for a new class
  imperceptible,             // a new class that the sensor does not show, taken for known
  unverifiable,              // the same called new: by luck or by prior knowledge
  ignored_observed,          // a new class, seen, taken for known
  unanimous                  // a new class, seen and noticed
};

using NoveltySetCounts = std::array<Confusion::Count, 8>;  // by number of the set

constexpr NoveltySet novelty_set(bool world, bool observation, bool predictor) {
  return static_cast<NoveltySet>((world ? 4 : 0) + (observation ? 2 : 0) + (predictor ? 1 : 0));
}

// The columns are of one length.
NoveltySetCounts count_novelty_sets(std::span<const std::uint8_t> world,
                                    std::span<const std::uint8_t> observation,
                                    std::span<const std::uint8_t> predictor);

constexpr Confusion::Count count_of(const NoveltySetCounts& counts, NoveltySet set) {
  return counts[static_cast<std::size_t>(set)];
}

}  // namespace tyto
