// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/pictures/changed_gallery.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "tyto/measure/table.hpp"

namespace tyto {

namespace {

void keep_surest(ChangedShelf& shelf, std::size_t most) {
  std::sort(shelf.items.begin(), shelf.items.end(), [](const ChangedItem& a, const ChangedItem& b) {
    return std::tie(b.confidence, a.name, a.step) < std::tie(a.confidence, b.name, b.step);
  });
  shelf.items.resize(std::min(shelf.items.size(), most));
}

}  // namespace

ChangedShelves changed_gallery(const RunRecord& record, std::string_view phase,
                               std::string_view plain, std::string_view changed, std::size_t items,
                               Progress& progress) {
  const Truth& truth = truth_of(record);
  const std::vector<PhaseKey> keys = record.phases();
  ChangedShelves shelves;
  for (const PhaseKey& key : keys) {
    PhaseKey other = key;
    other.split = plain;
    if (key.phase != phase || key.split != changed ||
        std::find(keys.begin(), keys.end(), other) == keys.end()) {
      continue;
    }
    progress.pulse();
    const Phase first = record.phase(other);
    const Phase second = record.phase(key);
    std::unordered_map<SampleId, Index> row_of;
    for (Index i = 0; i < first.size(); ++i) {
      row_of.emplace(first.sample[static_cast<std::size_t>(i)], i);
    }
    for (Index i = 0; i < second.size(); ++i) {
      const SampleId id = second.sample[static_cast<std::size_t>(i)];
      const auto found = row_of.find(id);
      const std::string& actual = truth.label_of(id);
      if (found == row_of.end() || first.decision(found->second) != actual) {
        continue;
      }
      const std::string& after = second.decision(i);
      ChangedShelf& shelf = after == actual ? shelves.kept : shelves.lost;
      ++shelf.samples;
      const auto row = static_cast<std::size_t>(i);
      shelf.items.push_back(
          {id, key.step, truth.name.at(static_cast<std::size_t>(id)), actual, after,
           row < second.confidence.size() ? static_cast<double>(second.confidence[row]) : 0.0});
    }
    keep_surest(shelves.lost, items);
    keep_surest(shelves.kept, items);
  }
  return shelves;
}

}  // namespace tyto
