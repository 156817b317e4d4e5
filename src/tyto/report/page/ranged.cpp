// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/ranged.hpp"

#include <algorithm>

#include "tyto/measure/phase_series.hpp"
#include "tyto/measure/spread.hpp"
#include "tyto/report/page/quick_bootstrap.hpp"

namespace tyto {

namespace {

constexpr double kMostResampled = 2e7;  // samples drawn for one phase of an arm: about a second

View view_called(std::string_view name) {
  return *std::find_if(kViews.begin(), kViews.end(),
                       [&](View view) { return view_name(view) == name; });
}

std::vector<MeasureColumn> columns_of(std::span<const HeadlineNumber> numbers,
                                      std::string_view phase) {
  std::vector<MeasureColumn> columns;
  for (const HeadlineNumber& number : numbers) {
    if (number.phase == phase) {
      columns.push_back({&find_measure(number.measure), view_called(number.view)});
    }
  }
  return columns;
}

bool has_test(const RunRecord& record, std::string_view phase) {
  const auto keys = record.phases();
  return std::any_of(keys.begin(), keys.end(), [&](const PhaseKey& key) {
    return key.phase == phase && key.split == "test";
  });
}

// `rows` are those over all increments of one series, by column.
void add_intervals(std::span<MeasureRow> rows, const PhaseSeries& series, Columns columns,
                   BootstrapOptions options) {
  options.replicates =
      std::min(options.replicates, page_replicates(static_cast<double>(rows.front().samples)));
  const auto intervals = quick_intervals(series.steps, columns, options);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (rows[c].value) {
      rows[c].low = intervals[c].low;
      rows[c].high = intervals[c].high;
    }
  }
}

}  // namespace

Index page_replicates(double samples) {
  return static_cast<Index>(std::clamp(kMostResampled / std::max(samples, 1.0), 40.0, 200.0));
}

std::vector<MeasureRow> number_rows(const RunRecord& record,
                                    std::span<const HeadlineNumber> numbers, const Groups* groups,
                                    const BootstrapOptions* bootstrap, Progress& progress) {
  std::vector<MeasureRow> rows;
  for (const char* phase : {"pre", "post"}) {
    const std::vector<MeasureColumn> columns = columns_of(numbers, phase);
    if (columns.empty() || !has_test(record, phase)) {
      continue;
    }
    progress.pulse();
    auto series = view_series(record, {{NovelTo::predictor}, {}, {phase, "test"}});
    if (groups != nullptr) {
      series = by_group(series, *groups);
    }
    Progress quiet;  // theirs would begin anew with every call
    auto made = measure_series(series, columns, nullptr, quiet);
    std::erase_if(made, [](const MeasureRow& row) { return row.step != kAllSteps; });
    for (std::size_t i = 0; i < series.size() && bootstrap != nullptr; ++i) {
      add_intervals(std::span(made).subspan(i * columns.size(), columns.size()), series[i], columns,
                    *bootstrap);
    }
    std::move(made.begin(), made.end(), std::back_inserter(rows));
  }
  return rows;
}

RangedValue number_in(std::span<const MeasureRow> rows, const HeadlineNumber& number,
                      std::string_view group) {
  for (const MeasureRow& row : rows) {
    if (row.step == kAllSteps && row.phase == number.phase && row.view == number.view &&
        row.measure == number.measure && row.group == group) {
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

std::vector<RangedValue> ranged_headline(const PageArm& arm, Progress& progress) {
  const std::vector<HeadlineNumber> legend = headline_legend();
  BootstrapOptions bootstrap;
  bootstrap.replicates = 200;
  std::vector<std::vector<RangedValue>> seeds(legend.size());  // by number
  for (const PageArm::OfSeed& seed : arm.seeds) {
    const auto rows = number_rows(*seed.record, legend, nullptr,
                                  arm.seeds.size() == 1 ? &bootstrap : nullptr, progress);
    for (std::size_t i = 0; i < legend.size(); ++i) {
      seeds[i].push_back(number_in(rows, legend[i]));
    }
  }
  std::vector<RangedValue> values;
  for (const auto& number : seeds) {
    values.push_back(spread_over(number));
  }
  return values;
}

}  // namespace tyto
