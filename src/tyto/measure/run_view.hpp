// SPDX-License-Identifier: Apache-2.0
// All phases of one arm: what a measure of a whole run reads.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <typeindex>
#include <vector>

#include "tyto/measure/phase_series.hpp"

namespace tyto {

// Phases go by step, phase and split; the batches of an increment are one. A view is made when it
// is asked for and kept by nobody: of a stored record that reads one archive and takes O(its
// samples) time and about 50 bytes a sample, so a measure that takes one at a time needs no more
// memory than a measure of one phase. Known is what the predictor was told: what it never learned
// it can neither forget nor transfer. What it is made from must outlive it.
class RunView {
 public:
  // Throws Error(config) if nothing of `only` is there, Error(state) if the record has no truth.
  explicit RunView(const RunRecord& record, const Selection& only = {});
  // Of phases that are in memory, such as those of one group of samples; a view is a copy.
  RunView(std::span<const PhaseSeries> series, const Truth& truth);

  // In the order of the record, with `batch` 0.
  [[nodiscard]] const std::vector<PhaseKey>& phases() const { return keys_; }

  // Those of one phase and split, by step.
  [[nodiscard]] std::vector<PhaseKey> steps(std::string_view phase, std::string_view split) const;

  [[nodiscard]] PhaseView view(const PhaseKey& key) const;

  // Labels, times and groups by SampleId.
  [[nodiscard]] const Truth& truth() const { return *truth_; }

  // What several measures of a family need: made by the first that asks, kept as long as the run is
  // looked at. One of each type; not for several threads at once.
  template <class T>
  const T& once(const std::function<T()>& make) const {
    std::shared_ptr<const void>& kept = kept_[typeid(T)];
    if (kept == nullptr) {
      kept = std::make_shared<const T>(make());
    }
    return *static_cast<const T*>(kept.get());
  }

 private:
  std::vector<PhaseKey> keys_;
  std::function<PhaseView(std::size_t)> make_;  // by place in keys_
  const Truth* truth_;
  mutable std::map<std::type_index, std::shared_ptr<const void>> kept_;
};

}  // namespace tyto
