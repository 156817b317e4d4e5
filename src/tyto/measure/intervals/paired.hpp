// SPDX-License-Identifier: Apache-2.0
// Two predictors on the same samples: the difference of each measure, with what it could have come
// out as. Both are measured on the same resample, so that hard samples are hard for both.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tyto/core/error.hpp"
#include "tyto/measure/phase_series.hpp"
#include "tyto/measure/tables/render.hpp"

namespace tyto {

struct PairedRow {
  MeasureRow first;              // its value is the first predictor's; low and high stay missing
  std::optional<double> second;  // value of the second
  std::optional<double> difference;  // second - first
  Interval interval;                 // of the difference
  // Shares of the resamples in which the difference is below and above 0, and the two-sided
  // p-value 2 (1 + min(not above, not below)) / (1 + resamples), at most 1.
  std::optional<double> below, above, p;
};

// The same samples of both, increment by increment, matched by name.
struct PairedSeries {
  PhaseSeries first, second;               // each in its own order
  std::vector<std::vector<Index>> row_of;  // by increment: row of the second for each of the first
};

// What the two share could be compared.
class DifferentSamples : public Error {
 public:
  explicit DifferentSamples(const std::string& message) : Error(ErrorKind::data, message) {}
};

// Phase by phase. Throws DifferentSamples if a phase or sample is missing on one side, saying how
// many are shared, unless `common` asks for those alone; and Error(data) if two samples of one name
// are not of one class.
std::vector<PairedSeries> pair_series(const RunRecord& first, const RunRecord& second,
                                      const TableOptions& options, bool common);

// The pairs of each group; `groups` goes by the SampleIds of the first.
std::vector<PairedSeries> by_group(const std::vector<PairedSeries>& pairs, const Groups& groups);

// Differences on resamples by increment and, last, over all, then column, then replicate. No column
// may hang on the order of the samples.
std::vector<std::vector<std::vector<double>>> paired_draws(const PairedSeries& pair,
                                                           Columns columns,
                                                           const BootstrapOptions& options,
                                                           Progress& progress);

// No interval without `bootstrap`, nor for measures that hang on the order of the samples. Units of
// the bootstrap go by the SampleIds of the first.
std::vector<PairedRow> measure_differences(const std::vector<PairedSeries>& pairs, Columns columns,
                                           const BootstrapOptions* bootstrap, Progress& progress);

LongTable long_table(std::span<const PairedRow> rows, MoreColumns more = {});

}  // namespace tyto
