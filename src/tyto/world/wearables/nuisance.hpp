// SPDX-License-Identifier: Apache-2.0
// Changes to what is observed that change nothing about what is done: a new class and an altered
// observation can then be told apart for every sample.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tyto/world/increments/increments.hpp"
#include "tyto/world/wearables/signal.hpp"

namespace tyto {

enum class Alteration : std::uint8_t { none, rotated, gain, noise };

constexpr std::array<std::string_view, 3> kAlterationKinds{"rotated", "gain", "noise"};

std::string_view alteration_name(Alteration alteration);
Alteration named_alteration(std::string_view word);  // of kAlterationKinds

struct NuisanceOptions {
  double share = 0;  // of the samples of each increment and split
  std::vector<std::string> kinds{"rotated", "gain", "noise"};
  Index from = 1;  // first increment concerned
  std::vector<std::string> splits{"train", "validate", "test"};
  double angle = 40, gain = 0.4, noise = 0.08;

  void describe(OptionVisitor& visitor);
  void check(std::string_view path) const;  // what one key alone cannot tell
};

// By table row, of `rows`. In each increment and split concerned floor(share x samples) are drawn
// and the kinds dealt to them in turn.
std::vector<Alteration> draw_alterations(const Schedule& schedule, Index rows,
                                         const NuisanceOptions& options, const Rng& rng);

// rotated  the sensor sits turned by `angle` about a drawn axis
// gain     each channel's gain drifts over the window from 1 to exp(gain) or exp(-gain)
// noise    white noise of deviation `noise` on every channel
void alter(Alteration alteration, const NuisanceOptions& options, Rng rng, Signal& signal);

}  // namespace tyto
