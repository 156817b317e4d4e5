// SPDX-License-Identifier: Apache-2.0
// tyto report --watch: a page that follows runs while they go on.
#pragma once

#include <cstdint>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/engine/page/report_source.hpp"

namespace tyto {

// Serves until Ctrl-C, also when the runs are done.
void watch_report(const std::vector<RunReference>& runs, const Catalog& catalog, std::uint16_t port,
                  Progress& progress);

}  // namespace tyto
