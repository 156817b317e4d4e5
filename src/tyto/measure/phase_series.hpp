// SPDX-License-Identifier: Apache-2.0
// The increments of one phase and split, held together: what is parted into groups and resampled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/measure/formulas/groups.hpp"
#include "tyto/measure/intervals/bootstrap.hpp"
#include "tyto/measure/table.hpp"

namespace tyto {

struct PhaseSeries {
  std::string group;               // "" for all samples
  std::vector<PhaseView> steps;    // one per increment, at least one
  std::vector<std::size_t> place;  // of each increment in the order of the record
};

// One for every phase, split and reference, in the order in which the record first has them.
// All samples are held: about 50 bytes each.
std::vector<PhaseSeries> view_series(const RunRecord& record, const TableOptions& options);

// The samples of each group, in the order of its names; a group without samples is left out, as is
// an increment in which it has none.
std::vector<PhaseSeries> by_group(const std::vector<PhaseSeries>& series, const Groups& groups);

// By SampleId: does the sample occur?
std::vector<std::uint8_t> measured_samples(const std::vector<PhaseSeries>& series,
                                           const Truth& truth);

// The rows measure_run would give, in its order, with group and number of samples; with intervals
// where `bootstrap` is given.
std::vector<MeasureRow> measure_series(const std::vector<PhaseSeries>& series, Columns columns,
                                       const BootstrapOptions* bootstrap, Progress& progress);

}  // namespace tyto
