// SPDX-License-Identifier: Apache-2.0
// How much of the novelty passed by before the first call of novelty (KOWL-718).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tyto {

// The paper's text and its figure caption differ in two points.
struct ReactionForm {
  enum class End { last_sample, last_novel };   // z
  enum class Seen { up_to_call, before_call };  // m: novel samples in [a, d] or in [a, d)

  End end = End::last_sample;
  Seen seen = Seen::up_to_call;
};

constexpr ReactionForm kReactionText{ReactionForm::End::last_sample,
                                     ReactionForm::Seen::before_call};
constexpr ReactionForm kReactionCaption{ReactionForm::End::last_novel,
                                        ReactionForm::Seen::up_to_call};

// With a the first novel sample, d >= a the first called novel, r novel samples in all: harmonic
// mean of (d - a) / (z + 1 - a) and m / r, in [0, 1], lower is better. 0 if d = a; 1 if novelty
// is never called from a on, or only after z; missing if no sample is novel. Calls before a are
// not looked at; a call at d counts even if that sample is of a known class, as in the paper.
// The order of the samples matters.
std::optional<double> reaction_time(std::span<const std::uint8_t> is_novel,
                                    std::span<const std::uint8_t> is_called_novel,
                                    ReactionForm form = {});

}  // namespace tyto
