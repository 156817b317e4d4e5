// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/phase_series.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tyto {

std::vector<PhaseSeries> view_series(const RunRecord& record, const TableOptions& options) {
  const Truth& truth = truth_of(record);
  std::vector<PhaseSeries> all;
  std::map<std::tuple<std::string, std::string, NovelTo>, std::size_t> places;
  std::size_t place = 0;
  for (const std::vector<PhaseKey>& batches : by_increment(selected_phases(record, options.only))) {
    for (PhaseView& view : view_batches(record, batches, truth, options.novel_to)) {
      const auto [found, is_new] =
          places.try_emplace({view.key.phase, view.key.split, view.novel_to}, all.size());
      if (is_new) {
        all.emplace_back();
      }
      all[found->second].steps.push_back(std::move(view));
      all[found->second].place.push_back(place);
    }
    ++place;
  }
  return all;
}

std::vector<PhaseSeries> by_group(const std::vector<PhaseSeries>& series, const Groups& groups) {
  std::vector<PhaseSeries> parted;
  for (const PhaseSeries& whole : series) {
    std::vector<PhaseSeries> parts(groups.names.size());
    for (std::size_t s = 0; s < whole.steps.size(); ++s) {
      const PhaseView& step = whole.steps[s];
      std::vector<std::vector<Index>> rows(groups.names.size());
      for (Index i = 0; i < step.size(); ++i) {
        const auto id = static_cast<std::size_t>(step.sample[static_cast<std::size_t>(i)]);
        rows[static_cast<std::size_t>(groups.of[id])].push_back(i);
      }
      for (std::size_t g = 0; g < rows.size(); ++g) {
        if (!rows[g].empty()) {
          parts[g].steps.push_back(step.pick(rows[g]));
          parts[g].place.push_back(whole.place[s]);
        }
      }
    }
    for (std::size_t g = 0; g < parts.size(); ++g) {
      if (!parts[g].steps.empty()) {
        parts[g].group = groups.names[g];
        parted.push_back(std::move(parts[g]));
      }
    }
  }
  return parted;
}

std::vector<std::uint8_t> measured_samples(const std::vector<PhaseSeries>& series,
                                           const Truth& truth) {
  std::vector<std::uint8_t> measured(truth.label.size());
  for (const PhaseSeries& one : series) {
    for (const PhaseView& step : one.steps) {
      for (const SampleId id : step.sample) {
        measured[static_cast<std::size_t>(id)] = 1;
      }
    }
  }
  return measured;
}

std::vector<MeasureRow> measure_series(const std::vector<PhaseSeries>& series, Columns columns,
                                       const BootstrapOptions* bootstrap, Progress& progress) {
  using Keyed = std::pair<std::size_t, MeasureRow>;
  std::vector<Keyed> single;  // by place in the record
  std::vector<MeasureRow> over_all;
  for (const PhaseSeries& one : series) {
    const std::vector<Values> values = values_by_step(one.steps, columns);
    std::vector<std::vector<Interval>> intervals;
    if (bootstrap != nullptr) {
      intervals = bootstrap_intervals(one.steps, columns, *bootstrap, progress);
    }
    Index samples = 0;
    for (std::size_t s = 0; s < values.size(); ++s) {
      const bool is_last = s == one.steps.size();
      PhaseKey key = one.steps[is_last ? 0 : s].key;
      if (is_last) {
        key.step = kAllSteps;
      }
      const Index here = is_last ? samples : one.steps[s].size();
      samples += here;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        MeasureRow row = make_row(key, one.steps.front().novel_to, columns[c], values[s][c], here);
        row.group = one.group;
        if (bootstrap != nullptr && row.value) {
          row.low = intervals[s][c].low;
          row.high = intervals[s][c].high;
        }
        if (is_last) {
          over_all.push_back(std::move(row));
        } else {
          single.emplace_back(one.place[s], std::move(row));
        }
      }
    }
  }
  std::stable_sort(single.begin(), single.end(),
                   [](const Keyed& a, const Keyed& b) { return a.first < b.first; });
  std::vector<MeasureRow> rows;
  for (auto& [place, row] : single) {
    rows.push_back(std::move(row));
  }
  std::move(over_all.begin(), over_all.end(), std::back_inserter(rows));
  return rows;
}

}  // namespace tyto
