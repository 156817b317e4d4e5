// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/calibration/reliability.hpp"

#include "tyto/measure/calibration/by_class.hpp"
#include "tyto/measure/table.hpp"

namespace tyto {

ClassCounts class_counts(const Truth& truth) {
  ClassCounts counts;
  for (const std::string& label : truth.label) {
    ++counts[label];
  }
  return counts;
}

std::array<std::vector<Index>, 3> class_parts(const PhaseView& view, const ClassCounts& counts) {
  std::map<std::string_view, Index> known;  // by name, so that ties are too
  for (std::size_t place = 0; place < view.names.size(); ++place) {
    if (view.is_known[place] != 0) {
      known.emplace(view.names[place], static_cast<Index>(place));
    }
  }
  std::vector<Index> places;
  std::vector<Index> frequency;
  for (const auto& [name, place] : known) {
    const auto found = counts.find(name);
    places.push_back(place);
    frequency.push_back(found == counts.end() ? 0 : found->second);
  }
  const FrequencySplit split = split_by_frequency(frequency);
  std::array<std::vector<Index>, 3> parts;
  parts[0] = places;
  for (const auto& [from, to] : {std::pair(&split.common, 1U), std::pair(&split.rare, 2U)}) {
    for (const Index at : *from) {
      parts[to].push_back(places[static_cast<std::size_t>(at)]);
    }
  }
  return parts;
}

std::array<ScoredSamples, 3> samples_by_part(const PhaseView& view, const ClassCounts& counts) {
  const ScoredSamples& all = view.sure();
  const auto parts = class_parts(view, counts);
  return {all, all.pick(rows_of_classes(all.truth, parts[1])),
          all.pick(rows_of_classes(all.truth, parts[2]))};
}

std::vector<ReliabilityRow> reliability_rows(const RunRecord& record) {
  const Truth& truth = truth_of(record);
  const ClassCounts counts = class_counts(truth);
  std::vector<ReliabilityRow> rows;
  for (const std::vector<PhaseKey>& batches : by_increment(record.phases())) {
    const PhaseView view = view_batches(record, batches, truth, {NovelTo::predictor}).front();
    const std::array<ScoredSamples, 3> parts = samples_by_part(view, counts);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      rows.push_back({view.key.step, view.key.phase, view.key.split, std::string(kClassParts[part]),
                      confidence_measures(parts[part], {})});
    }
  }
  return rows;
}

}  // namespace tyto
