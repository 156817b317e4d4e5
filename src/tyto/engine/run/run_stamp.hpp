// SPDX-License-Identifier: Apache-2.0
// Whether a run has gone on since one last looked.
#pragma once

#include <filesystem>
#include <string>

namespace tyto {

// Changes with every commit of an arm, of any seed, and when the run ends or begins anew. Looks at
// names, sizes and times of the files alone. "" where there is no run.
std::string run_stamp(const std::filesystem::path& folder);

}  // namespace tyto
