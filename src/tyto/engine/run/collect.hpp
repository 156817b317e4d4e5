// SPDX-License-Identifier: Apache-2.0
// The last stage of a run: what its arms have left is measured and put together. Reads files alone.
#pragma once

#include "tyto/engine/run/run.hpp"

namespace tyto {

// `world` describes what was shown, for the outcome. All arms must be done.
RunOutcome collect_run(const std::filesystem::path& folder, const std::string& world,
                       Progress& progress);

}  // namespace tyto
