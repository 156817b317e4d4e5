// SPDX-License-Identifier: Apache-2.0
// Whether a run may write into a folder, and what it says of itself there.
#pragma once

#include "tyto/engine/run/run.hpp"
#include "tyto/engine/run/run_info.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {

// Version, machine and seed; not done.
RunInfo info_of(const Experiment& experiment);
std::vector<RunInfo::Outcome> outcomes_of(const RunOutcome& outcome);

// Throws PlaceError. To resume: unless the run in the folder is of this very experiment (`yaml`),
// made on such a machine or with any_machine. Else: if it holds a run that may not be replaced.
void check_place(const RunFolder& folder, const std::string& yaml, const RunInfo& now,
                 const RunOptions& options);

// Removes everything a run wrote; files of other origin stay.
void clear(const RunFolder& folder);

}  // namespace tyto
