// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/values.hpp"

#include "tyto/measure/run_registry.hpp"

namespace tyto {

std::vector<MeasureColumn> measure_columns(const std::vector<std::string>& names) {
  std::vector<MeasureColumn> columns;
  const auto append = [&](const MeasureSpec& spec) {
    for (const View view : spec.views) {
      columns.push_back({&spec, view});
    }
  };
  for (const std::string& name : names) {
    if (find_run_measure(name) == nullptr) {
      append(find_measure(name));
    }
  }
  if (names.empty()) {
    for (const MeasureSpec& spec : measure_specs()) {
      append(spec);
    }
  }
  return columns;
}

Values values_of(const PhaseView& view, Columns columns) {
  Values values;
  values.reserve(columns.size());
  for (const MeasureColumn& column : columns) {
    values.push_back(column.spec->value(view, column.view));
  }
  return values;
}

StepTotals::StepTotals(Columns columns)
    : columns_(columns), sums_(columns.size()), summed_(columns.size()) {
  counts_.hits_at_rank.resize(kTopRanks);
  counts_.novelty_sets.emplace();
}

void StepTotals::add(const PhaseView& view, const Values& values) {
  if (!started_) {
    counts_.key = {kAllSteps, view.key.phase, view.key.split};
    counts_.novel_to = view.novel_to;
    started_ = true;
  }
  counts_.merge(view);
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (values[c]) {
      sums_[c] += *values[c];
      summed_[c] += 1;
    }
  }
}

Values StepTotals::values() const {
  Values values;
  values.reserve(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const auto& [spec, view] = columns_[c];
    if (spec->over_steps == OverSteps::sum) {
      values.push_back(spec->value(counts_, view));
    } else {
      values.push_back(summed_[c] == 0 ? std::nullopt
                                       : std::optional(sums_[c] / static_cast<double>(summed_[c])));
    }
  }
  return values;
}

std::vector<Values> values_by_step(std::span<const PhaseView> steps, Columns columns) {
  std::vector<Values> values;
  StepTotals totals(columns);
  for (const PhaseView& step : steps) {
    values.push_back(values_of(step, columns));
    totals.add(step, values.back());
  }
  values.push_back(totals.values());
  return values;
}

}  // namespace tyto
