// SPDX-License-Identifier: Apache-2.0
// The run of one seed: every arm, phase by phase, with a commit after each.
#pragma once

#include "tyto/engine/run/run.hpp"

namespace tyto {

RunOutcome run_seed(const Experiment& experiment, const Catalog& catalog, const RunOptions& options,
                    Progress& progress);

}  // namespace tyto
