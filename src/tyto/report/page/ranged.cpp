// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/ranged.hpp"

#include <algorithm>

#include "tyto/measure/intervals/spread.hpp"
#include "tyto/measure/phase_series.hpp"
#include "tyto/measure/run_registry.hpp"
#include "tyto/report/page/quick_bootstrap.hpp"

namespace tyto {

namespace {

constexpr double kMostResampled = 5e6;  // samples drawn for one phase of an arm: a part of a second

View view_called(std::string_view name) {
  return *std::find_if(kViews.begin(), kViews.end(),
                       [&](View view) { return view_name(view) == name; });
}

// The columns of one phase and split, which are read once for all of them.
struct PhaseColumns {
  Selection only;
  std::vector<MeasureColumn> columns;
};

std::vector<PhaseColumns> by_phase(std::span<const HeadlineColumn> numbers) {
  std::vector<PhaseColumns> phases;
  for (const HeadlineColumn& number : numbers) {
    if (find_run_measure(number.measure) != nullptr) {
      continue;
    }
    auto found = std::find_if(phases.begin(), phases.end(), [&](const PhaseColumns& phase) {
      return phase.only.phase == number.phase && phase.only.split == number.split;
    });
    if (found == phases.end()) {
      phases.push_back({{number.phase, number.split}, {}});
      found = std::prev(phases.end());
    }
    found->columns.push_back({&find_measure(number.measure), view_called(number.view)});
  }
  return phases;
}

bool has(const RunRecord& record, const Selection& only) {
  const auto keys = record.phases();
  return std::any_of(keys.begin(), keys.end(), [&](const PhaseKey& key) {
    return key.phase == only.phase && key.split == only.split;
  });
}

double sample_count(const std::vector<PhaseSeries>& series) {
  double samples = 0;
  for (const PhaseSeries& one : series) {
    for (const PhaseView& step : one.steps) {
      samples += static_cast<double>(step.size());
    }
  }
  return samples;
}

std::vector<Interval> intervals_of(const PhaseSeries& series, Columns columns,
                                   const BootstrapOptions& options, Progress& progress) {
  std::vector<Interval> intervals = quick_intervals(series.steps, columns, options);
  std::vector<MeasureColumn> others;
  std::vector<std::size_t> places;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!has_quick_interval(columns[c]) && !columns[c].spec->needs_order) {
      others.push_back(columns[c]);
      places.push_back(c);
    }
  }
  if (!others.empty()) {
    const auto slow = bootstrap_intervals(series.steps, others, options, progress).back();
    for (std::size_t o = 0; o < others.size(); ++o) {
      intervals[places[o]] = slow[o];
    }
  }
  return intervals;
}

// Over all increments, series by series.
std::vector<MeasureRow> rows_of(const std::vector<PhaseSeries>& series, Columns columns,
                                const BootstrapOptions* bootstrap) {
  Progress quiet;  // theirs would begin anew with every call
  std::vector<MeasureRow> rows = measure_series(series, columns, nullptr, quiet);
  std::erase_if(rows, [](const MeasureRow& row) { return row.step != kAllSteps; });
  if (bootstrap == nullptr) {
    return rows;
  }
  BootstrapOptions options = *bootstrap;
  options.replicates = std::min(options.replicates, page_replicates(sample_count(series)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t column = i % columns.size();
    const auto intervals = column == 0
                               ? intervals_of(series[i / columns.size()], columns, options, quiet)
                               : std::vector<Interval>();
    for (std::size_t c = 0; c < intervals.size(); ++c) {
      if (rows[i + c].value) {
        rows[i + c].low = intervals[c].low;
        rows[i + c].high = intervals[c].high;
      }
    }
  }
  return rows;
}

}  // namespace

Index page_replicates(double samples) {
  return static_cast<Index>(std::clamp(kMostResampled / std::max(samples, 1.0), 40.0, 200.0));
}

std::vector<std::vector<MeasureRow>> number_rows(const RunRecord& record,
                                                 std::span<const HeadlineColumn> numbers,
                                                 std::span<const Groups> groups,
                                                 const BootstrapOptions* bootstrap,
                                                 Progress& progress) {
  std::vector<std::vector<MeasureRow>> all(std::max<std::size_t>(1, groups.size()));
  const auto append = [](std::vector<MeasureRow>& to, std::vector<MeasureRow> rows) {
    std::move(rows.begin(), rows.end(), std::back_inserter(to));
  };
  for (const auto& [only, columns] : by_phase(numbers)) {
    if (record.truth() == nullptr || !has(record, only)) {
      continue;
    }
    const auto series = view_series(record, {{NovelTo::predictor}, {}, only});
    if (groups.empty()) {
      progress.pulse();
      append(all.front(), rows_of(series, columns, bootstrap));
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      progress.pulse();
      append(all[g], rows_of(by_group(series, groups[g]), columns, bootstrap));
    }
  }
  std::vector<std::string> of_run;
  for (const HeadlineColumn& number : numbers) {
    if (find_run_measure(number.measure) != nullptr) {
      of_run.push_back(number.measure);
    }
  }
  if (groups.empty() && !of_run.empty()) {
    progress.pulse();
    append(all.front(), measure_whole_run(RunView(record), of_run));
  }
  return all;
}

RangedValue number_in(std::span<const MeasureRow> rows, const HeadlineColumn& number,
                      std::string_view group) {
  for (const MeasureRow& row : rows) {
    if (row.step == kAllSteps && row.phase == number.phase && row.split == number.split &&
        row.view == number.view && row.measure == number.measure && row.group == group) {
      return {row.value, row.low, row.high};
    }
  }
  return {};
}

RangedValue spread_over(std::span<const RangedValue> seeds) {
  if (seeds.size() == 1) {
    return seeds.front();
  }
  std::vector<std::optional<double>> values;
  for (const RangedValue& seed : seeds) {
    values.push_back(seed.value);
  }
  const Spread spread = spread_of(values);
  return {spread.mean, spread.low, spread.high};
}

std::vector<HeadlineNumber> ranged_headline(const PageArm& arm,
                                            std::span<const HeadlineColumn> columns,
                                            Progress& progress) {
  BootstrapOptions bootstrap;
  bootstrap.replicates = 200;
  std::vector<HeadlineNumber> numbers = headline_legend(columns);
  std::vector<std::vector<RangedValue>> seeds(numbers.size());  // by number
  for (const PageArm::OfSeed& seed : arm.seeds) {
    const auto rows = number_rows(*seed.record, columns, {},
                                  arm.seeds.size() == 1 ? &bootstrap : nullptr, progress)
                          .front();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      seeds[i].push_back(number_in(rows, numbers[i]));
    }
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const RangedValue value = spread_over(seeds[i]);
    numbers[i].value = value.value;
    numbers[i].low = value.low;
    numbers[i].high = value.high;
  }
  return numbers;
}

}  // namespace tyto
