// SPDX-License-Identifier: Apache-2.0
// A run that starts at a later step takes over what another run had learned and kept.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "tyto/engine/run/experiment.hpp"

namespace tyto {

// The state an arm begins with; none: from the beginning.
std::optional<std::filesystem::path> start_state(const Experiment& experiment, const Arm& arm);

// Throws Error(config) where a state is not there or is another predictor's.
void check_start_states(const Experiment& experiment, const std::vector<Arm>& arms);

}  // namespace tyto
