// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/table.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/measure/run_registry.hpp"

namespace tyto {

namespace {

std::vector<std::string> names_of(const std::vector<PhaseKey>& keys, std::string PhaseKey::*field) {
  std::vector<std::string> names;
  for (const PhaseKey& key : keys) {
    if (std::find(names.begin(), names.end(), key.*field) == names.end()) {
      names.push_back(key.*field);
    }
  }
  return names;
}

void keep_only(std::vector<PhaseKey>& keys, std::string PhaseKey::*field, std::string_view kind,
               const std::string& name) {
  if (name.empty()) {
    return;
  }
  const auto names = names_of(keys, field);
  std::erase_if(keys, [&](const PhaseKey& key) { return key.*field != name; });
  if (keys.empty()) {
    throw unknown_name(kind, name, names);
  }
}

}  // namespace

std::vector<std::vector<PhaseKey>> by_increment(const std::vector<PhaseKey>& keys) {
  std::vector<std::vector<PhaseKey>> groups;
  std::map<std::tuple<Index, std::string, std::string>, std::size_t> places;
  for (const PhaseKey& key : keys) {
    const auto [found, is_new] =
        places.try_emplace({key.step, key.phase, key.split}, groups.size());
    if (is_new) {
      groups.emplace_back();
    }
    groups[found->second].push_back(key);
  }
  return groups;
}

std::vector<PhaseView> view_batches(const RunRecord& record, const std::vector<PhaseKey>& batches,
                                    const Truth& truth, const std::vector<NovelTo>& novel_to) {
  std::vector<PhaseView> views;
  for (const PhaseKey& key : batches) {
    const Phase phase = record.phase(key);
    for (std::size_t r = 0; r < novel_to.size(); ++r) {
      PhaseView view = view_phase(phase, truth, novel_to[r]);
      if (views.size() <= r) {
        views.push_back(std::move(view));
      } else {
        views[r].append(view);
      }
    }
  }
  return views;
}

std::string MeasureRow::step_name() const {
  return step == kAllSteps ? "all" : fmt::format("{}", step);
}

MeasureRow make_row(const PhaseKey& key, NovelTo novel_to, const MeasureColumn& column,
                    std::optional<double> value, Index samples) {
  MeasureRow row;
  row.step = key.step;
  row.phase = key.phase;
  row.split = key.split;
  row.view = view_name(column.view);
  row.measure = column.spec->name;
  row.novel_to = novel_to_name(novel_to);
  row.value = value;
  row.samples = samples;
  return row;
}

std::vector<PhaseKey> selected_phases(const RunRecord& record, const Selection& only) {
  std::vector<PhaseKey> keys = record.phases();
  keep_only(keys, &PhaseKey::split, "split", only.split);
  keep_only(keys, &PhaseKey::phase, "phase", only.phase);
  return keys;
}

const Truth& truth_of(const RunRecord& record) {
  const Truth* truth = record.truth();
  if (truth == nullptr) {
    throw Error(ErrorKind::state,
                "the run cannot be measured: its world has not revealed the actual classes");
  }
  return *truth;
}

std::vector<MeasureRow> measure_run(const RunRecord& record, const TableOptions& options) {
  const Truth& truth = truth_of(record);
  const std::vector<MeasureColumn> columns = measure_columns(options.measures);
  std::vector<MeasureRow> rows;
  const auto append = [&](const PhaseView& view, const Values& values, Index samples) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      rows.push_back(make_row(view.key, view.novel_to, columns[c], values[c], samples));
    }
  };
  std::vector<StepTotals> totals;
  std::map<std::tuple<std::string, std::string, NovelTo>, std::size_t> places;
  for (const std::vector<PhaseKey>& batches : by_increment(selected_phases(record, options.only))) {
    for (const PhaseView& view : view_batches(record, batches, truth, options.novel_to)) {
      const auto [found, is_new] =
          places.try_emplace({view.key.phase, view.key.split, view.novel_to}, totals.size());
      if (is_new) {
        totals.emplace_back(columns);
      }
      const Values values = values_of(view, columns);
      totals[found->second].add(view, values);
      append(view, values, view.size());
    }
  }
  for (const StepTotals& total : totals) {
    append(total.counts(), total.values(), total.counts().views.raw.total());
  }
  std::vector<MeasureRow> of_run =
      measure_whole_run(RunView(record, options.only), options.measures);
  std::move(of_run.begin(), of_run.end(), std::back_inserter(rows));
  return rows;
}

}  // namespace tyto
