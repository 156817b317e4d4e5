// SPDX-License-Identifier: Apache-2.0
// The samples of a run found again in its world, for sections of a report that show them.
#pragma once

#include "tyto/data/catalog.hpp"
#include "tyto/engine/run/experiment.hpp"
#include "tyto/record/run_folder.hpp"
#include "tyto/report/page/source.hpp"

namespace tyto {

// The world is built when first asked for. `folder` is that of the run, of its first seed.
SampleData sample_data(const Experiment& experiment, const Catalog& catalog,
                       const RunFolder& folder);

}  // namespace tyto
