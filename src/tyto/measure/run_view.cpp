// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/run_view.hpp"

#include <algorithm>

#include "tyto/core/error.hpp"

namespace tyto {

RunView::RunView(const RunRecord& record, const Selection& only) : truth_(&truth_of(record)) {
  std::vector<std::vector<PhaseKey>> batches = by_increment(selected_phases(record, only));
  for (const std::vector<PhaseKey>& keys : batches) {
    keys_.push_back({keys.front().step, keys.front().phase, keys.front().split, 0});
  }
  make_ = [&record, truth = truth_, batches = std::move(batches)](std::size_t place) {
    return std::move(view_batches(record, batches[place], *truth, {NovelTo::predictor}).front());
  };
}

RunView::RunView(std::span<const PhaseSeries> series, const Truth& truth) : truth_(&truth) {
  std::vector<const PhaseView*> views;
  for (const PhaseSeries& one : series) {
    for (const PhaseView& step : one.steps) {
      if (step.novel_to == NovelTo::predictor) {
        keys_.push_back({step.key.step, step.key.phase, step.key.split, 0});
        views.push_back(&step);
      }
    }
  }
  make_ = [views = std::move(views)](std::size_t place) { return *views[place]; };
}

std::vector<PhaseKey> RunView::steps(std::string_view phase, std::string_view split) const {
  std::vector<PhaseKey> found;
  for (const PhaseKey& key : keys_) {
    if (key.phase == phase && key.split == split) {
      found.push_back(key);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const PhaseKey& a, const PhaseKey& b) { return a.step < b.step; });
  return found;
}

PhaseView RunView::view(const PhaseKey& key) const {
  const auto found = std::find(keys_.begin(), keys_.end(), key);
  TYTO_ASSERT(found != keys_.end());
  return make_(static_cast<std::size_t>(found - keys_.begin()));
}

}  // namespace tyto
