// SPDX-License-Identifier: Apache-2.0
// An open world in small, played with nothing but what the start grants: some of the start classes
// are known, the others come later. Options are chosen on it; no later increment and no test sample
// is in it.
#pragma once

#include <cstdint>
#include <memory>

#include "tyto/world/increments/increment_world.hpp"

namespace tyto {

// Its rows are those of increment 0's train split, and of validate where the start has one: then
// validate tests, else a drawn share does. Throws Error(data) if the start has fewer than three
// classes: two to know and one to come.
std::unique_ptr<WorldSource> rehearse(const IncrementPlan& plan, const RehearsalOptions& options,
                                      std::uint64_t seed);

}  // namespace tyto
