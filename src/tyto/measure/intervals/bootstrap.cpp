// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/intervals/bootstrap.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/quantile.hpp"

namespace tyto {

namespace {

constexpr double kLook_s = 0.25;  // between two looks at the progress, about

}  // namespace

void BootstrapOptions::check() const {
  if (replicates < 1) {
    throw Error(ErrorKind::config,
                fmt::format("{} replicates: a bootstrap needs one or more", replicates));
  }
  if (!(level > 0.0 && level < 1.0)) {
    throw Error(ErrorKind::config, fmt::format("the level {} is not between 0 and 1", level));
  }
  if (stratified && !unit.empty()) {
    throw Error(ErrorKind::config,
                "samples cannot be drawn by class and in whole groups at once: a group may hold "
                "several classes");
  }
}

Resampler::Resampler(std::span<const PhaseView> steps, const BootstrapOptions& options)
    : rng_(options.seed, "bootstrap") {
  options.check();
  for (const PhaseView& step : steps) {
    if (!options.unit.empty()) {
      add_unit_rows(step, options.unit);
      continue;
    }
    auto& pools = pools_.emplace_back(options.stratified ? step.names.size() : 1);
    for (Index i = 0; i < step.size(); ++i) {
      const auto pool =
          options.stratified ? step.actual[static_cast<std::size_t>(i)] : std::int32_t{0};
      pools[static_cast<std::size_t>(pool)].push_back(i);
    }
    std::erase_if(pools, [](const auto& pool) { return pool.empty(); });
  }
}

void Resampler::add_unit_rows(const PhaseView& step, const std::vector<std::int32_t>& unit) {
  auto& rows = rows_of_.emplace_back();
  for (Index i = 0; i < step.size(); ++i) {
    const auto given = unit.at(static_cast<std::size_t>(step.sample[static_cast<std::size_t>(i)]));
    auto place = static_cast<std::size_t>(units_);
    if (given >= 0) {
      if (place_of_unit_.size() <= static_cast<std::size_t>(given)) {
        place_of_unit_.resize(static_cast<std::size_t>(given) + 1, -1);
      }
      auto& known = place_of_unit_[static_cast<std::size_t>(given)];
      known = known < 0 ? static_cast<std::int32_t>(units_) : known;
      place = static_cast<std::size_t>(known);
    }
    units_ = std::max(units_, static_cast<Index>(place) + 1);
    rows.resize(std::max(rows.size(), place + 1));
    rows[place].push_back(i);
  }
}

std::vector<std::vector<Index>> Resampler::draw(Index replicate) const {
  Rng rng = rng_.fork("replicate", static_cast<std::uint64_t>(replicate));
  std::vector<std::vector<Index>> drawn;
  for (const auto& pools : pools_) {
    auto& rows = drawn.emplace_back();
    for (const std::vector<Index>& pool : pools) {
      const auto size = static_cast<Index>(pool.size());
      for (Index i = 0; i < size; ++i) {
        rows.push_back(pool[static_cast<std::size_t>(rng.below(size))]);
      }
    }
  }
  if (!rows_of_.empty()) {
    drawn.resize(rows_of_.size());
    for (Index i = 0; i < units_; ++i) {
      const auto unit = static_cast<std::size_t>(rng.below(units_));
      for (std::size_t s = 0; s < rows_of_.size(); ++s) {
        if (unit < rows_of_[s].size()) {
          drawn[s].insert(drawn[s].end(), rows_of_[s][unit].begin(), rows_of_[s][unit].end());
        }
      }
    }
  }
  return drawn;
}

Interval percentile_interval(std::span<const double> values, double level) {
  std::vector<double> defined;
  std::copy_if(values.begin(), values.end(), std::back_inserter(defined),
               [](double value) { return !std::isnan(value); });
  if (2 * defined.size() < values.size() || defined.empty()) {
    return {};
  }
  const std::span<const double> span(defined);
  return {quantile(span, (1.0 - level) / 2.0), quantile(span, (1.0 + level) / 2.0)};
}

std::vector<MeasureColumn> without_order(Columns columns) {
  std::vector<MeasureColumn> kept;
  std::copy_if(columns.begin(), columns.end(), std::back_inserter(kept),
               [](const MeasureColumn& column) { return !column.spec->needs_order; });
  return kept;
}

void for_each_replicate(Index replicates, Progress& progress,
                        const std::function<void(Index)>& body) {
  progress.begin("resampling", static_cast<double>(replicates));
  using Clock = std::chrono::steady_clock;
  Index at_once = thread_count();
  for (Index begin = 0; begin < replicates;) {
    const auto start = Clock::now();
    const Index count = std::min(at_once, replicates - begin);
    for_each_index(count, [&](Index i) { body(begin + i); });
    progress.advance(static_cast<double>(count));
    begin += count;
    // How many are made at once changes nothing of what comes out.
    if (std::chrono::duration<double>(Clock::now() - start).count() < kLook_s / 4) {
      at_once *= 4;
    }
  }
  progress.end();
}

std::vector<std::vector<double>> bootstrap_draws(std::span<const PhaseView> steps, Columns measured,
                                                 const BootstrapOptions& options,
                                                 Progress& progress) {
  const Resampler resampler(steps, options);
  const std::size_t lines = steps.size() + 1;
  const auto replicates = static_cast<std::size_t>(options.replicates);
  std::vector<std::vector<double>> drawn(lines * measured.size(), std::vector<double>(replicates));
  for_each_replicate(options.replicates, progress, [&](Index replicate) {
    const auto rows = resampler.draw(replicate);
    std::vector<PhaseView> views;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      views.push_back(steps[s].pick(rows[s]));
    }
    const auto values = values_by_step(views, measured);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      drawn[i][static_cast<std::size_t>(replicate)] =
          values[i / measured.size()][i % measured.size()].value_or(
              std::numeric_limits<double>::quiet_NaN());
    }
  });
  return drawn;
}

std::vector<std::vector<Interval>> bootstrap_intervals(std::span<const PhaseView> steps,
                                                       Columns columns,
                                                       const BootstrapOptions& options,
                                                       Progress& progress) {
  const std::vector<MeasureColumn> measured = without_order(columns);
  const auto drawn = bootstrap_draws(steps, measured, options, progress);
  const std::size_t lines = steps.size() + 1;
  std::vector<std::vector<Interval>> intervals(lines, std::vector<Interval>(columns.size()));
  for (std::size_t line = 0; line < lines; ++line) {
    std::size_t m = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (!columns[c].spec->needs_order) {
        intervals[line][c] =
            percentile_interval(drawn[line * measured.size() + m++], options.level);
      }
    }
  }
  return intervals;
}

}  // namespace tyto
