// SPDX-License-Identifier: Apache-2.0
// How far a value could have come out otherwise with other samples of the same kind: percentile
// intervals over resamples (Efron 1979).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/core/random.hpp"
#include "tyto/measure/values.hpp"

namespace tyto {

struct BootstrapOptions {
  Index replicates = 1000;
  double level = 0.95;
  bool stratified = false;  // keep the number of samples of every actual class
  std::vector<std::int32_t> unit =
      {};  // by SampleId: drawn as a whole; -1 by itself; empty: all are
  std::uint64_t seed = 1;

  void check() const;  // throws Error(config)
};

// Draws the samples of increments anew, with replacement: within each increment, so that each keeps
// its size. Units (subjects, videos) are drawn over all increments at once instead, and a unit
// brings all its samples: sizes vary.
class Resampler {
 public:
  Resampler(std::span<const PhaseView> steps, const BootstrapOptions& options);

  // Rows of each increment. The same for the same seed and replicate, whoever asks.
  [[nodiscard]] std::vector<std::vector<Index>> draw(Index replicate) const;

 private:
  void add_unit_rows(const PhaseView& step, const std::vector<std::int32_t>& unit);

  Rng rng_;
  std::vector<std::vector<std::vector<Index>>> pools_;  // by increment: each keeps its size
  // Where units are drawn: rows by increment and unit.
  std::vector<std::vector<std::vector<Index>>> rows_of_;
  std::vector<std::int32_t> place_of_unit_;
  Index units_ = 0;
};

struct Interval {
  std::optional<double> low, high;
};

// Of the values that are numbers (the others were not defined in their replicate); missing if those
// are fewer than half.
Interval percentile_interval(std::span<const double> values, double level);

// By increment and, last, over all; then by column. Missing for measures that hang on the order of
// the samples. Parallel over replicates; the same at any number of threads.
std::vector<std::vector<Interval>> bootstrap_intervals(std::span<const PhaseView> steps,
                                                       Columns columns,
                                                       const BootstrapOptions& options,
                                                       Progress& progress);

// The values behind them: by increment and, last, over all, each with all columns; then by
// replicate, NaN where a measure is not defined. No column may hang on the order of the samples.
std::vector<std::vector<double>> bootstrap_draws(std::span<const PhaseView> steps, Columns measured,
                                                 const BootstrapOptions& options,
                                                 Progress& progress);

// The columns a resample can be measured by.
std::vector<MeasureColumn> without_order(Columns columns);

// body(replicate) for each, in parallel, with progress.
void for_each_replicate(Index replicates, Progress& progress,
                        const std::function<void(Index)>& body);

}  // namespace tyto
