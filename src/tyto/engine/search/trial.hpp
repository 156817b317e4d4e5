// SPDX-License-Identifier: Apache-2.0
// The search of an experiment, carried out: variants run over a rehearsal, in memory.
#pragma once

#include <filesystem>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/engine/run/experiment.hpp"

namespace tyto {

// The experiment's predictors with their best options. Trials are added to `file` one by one, so
// that a search that was cut short goes on where it stopped; those there are not run again.
std::vector<PredictorConfig> searched(const Experiment& experiment, const WorldSource& world,
                                      const std::filesystem::path& file, Progress& progress);

// Throws Error(config) for what can be told without running: unknown predictors, keys, values,
// measures.
void check_search(const Experiment& experiment);

}  // namespace tyto
