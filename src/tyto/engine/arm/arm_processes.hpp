// SPDX-License-Identifier: Apache-2.0
// The arms of a prepared run, several at a time, each in a process of its own: what they write is
// the same to the byte as when one process runs them in turn.
#pragma once

#include "tyto/engine/run/prepared_run.hpp"

namespace tyto {

// At most options.jobs at a time, each by options.arm_command. All of them end before this returns
// or throws: when one fails or the run is cancelled, the others are asked to stop, and what they
// have committed is kept.
void run_arms_in_processes(const PreparedRun& run, const RunOptions& options, Progress& progress);

}  // namespace tyto
