// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/run_registry.hpp"

#include <algorithm>

namespace tyto {

const RunMeasureSpec* find_run_measure(std::string_view name) {
  for (const RunMeasureSpec& spec : run_measure_specs()) {
    if (spec.name == name || std::find(spec.also_called.begin(), spec.also_called.end(), name) !=
                                 spec.also_called.end()) {
      return &spec;
    }
  }
  return nullptr;
}

MeasureFacts measure_facts(std::string_view name) {
  if (const RunMeasureSpec* spec = find_run_measure(name)) {
    return {spec->name, spec->summary, spec->better};
  }
  const MeasureSpec& spec = find_measure(name);
  return {spec.name, spec.summary, spec.better};
}

std::vector<MeasureRow> measure_whole_run(const RunView& run, std::span<const std::string> names) {
  std::vector<MeasureRow> rows;
  for (const RunMeasureSpec& spec : run_measure_specs()) {
    if (!names.empty() && std::none_of(names.begin(), names.end(), [&](const std::string& name) {
          return find_run_measure(name) == &spec;
        })) {
      continue;
    }
    for (const RunValue& value : spec.values(run)) {
      if (value.name.empty()) {
        MeasureRow& row = rows.emplace_back();
        row.step = value.at.step;
        row.phase = value.at.phase;
        row.split = value.at.split;
        row.view = view_name(spec.view);
        row.measure = spec.name;
        row.novel_to = novel_to_name(NovelTo::predictor);
        row.value = value.value;
        row.samples = value.samples;
      }
    }
  }
  return rows;
}

std::vector<MeasureRow> measure_whole_run(std::span<const PhaseSeries> series, const Truth& truth,
                                          std::span<const std::string> names) {
  std::vector<std::string> groups;
  for (const PhaseSeries& one : series) {
    if (std::find(groups.begin(), groups.end(), one.group) == groups.end()) {
      groups.push_back(one.group);
    }
  }
  std::vector<MeasureRow> rows;
  for (const std::string& group : groups) {
    std::vector<PhaseSeries> own;
    std::copy_if(series.begin(), series.end(), std::back_inserter(own),
                 [&](const PhaseSeries& one) { return one.group == group; });
    for (MeasureRow& row : measure_whole_run(RunView(own, truth), names)) {
      row.group = group;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace tyto
