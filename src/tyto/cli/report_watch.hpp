// SPDX-License-Identifier: Apache-2.0
// tyto report --watch: a page that follows runs while they go on.
#pragma once

#include <cstdint>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/engine/page/report_source.hpp"

namespace tyto {

// Serves until Ctrl-C, also when the runs are done. `groups` are those that were asked for.
void watch_report(const std::vector<RunReference>& runs, const Catalog& catalog, std::uint16_t port,
                  const std::vector<WantedGroups>& groups, Progress& progress);

}  // namespace tyto
