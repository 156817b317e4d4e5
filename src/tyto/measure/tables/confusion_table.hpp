// SPDX-License-Identifier: Apache-2.0
// The confusion matrices of a run as a table: a row per pair of names that occurs.
#pragma once

#include <span>
#include <vector>

#include "tyto/measure/phase_series.hpp"
#include "tyto/measure/tables/render.hpp"

namespace tyto {

struct ArmSeries {
  Leading leading;
  std::vector<PhaseSeries> series;
};

// Every view by increment and, last, over all: leading columns, step, phase, split, group (if
// asked for), novel_to, view, rank, actual, predicted, count. Rank 1 is the decision; the raw view
// has the next ranks too, as far as they were recorded.
LongTable confusion_table(std::span<const ArmSeries> arms, MoreColumns more = {});

}  // namespace tyto
