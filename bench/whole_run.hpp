// SPDX-License-Identifier: Apache-2.0
// What a whole run takes, as a user starts it.
#pragma once

#include <filesystem>

#include "tyto/engine/run/run.hpp"

namespace tyto {

struct RunCosts {
  double wall = 0, processor = 0;            // seconds; of all threads
  double learn = 0, predict = 0, other = 0;  // in the predictor's calls
  double measure = 0;                        // measures and tables
  double peak_mb = 0, mapped_mb = 0;         // greatest anonymous and mapped memory
  double record_mb = 0, page_mb = 0;

  // Everything but the predictor's own calls, as a share of the wall time.
  [[nodiscard]] double harness() const { return 1 - (learn + predict + other) / wall; }

  [[nodiscard]] double around() const { return wall - learn - predict - other - measure; }
};

// In `out`, which is removed afterwards.
RunCosts whole_run(const Experiment& experiment, const Catalog& catalog,
                   const std::filesystem::path& out);

}  // namespace tyto
