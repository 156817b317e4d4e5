// SPDX-License-Identifier: Apache-2.0
// One phase joined with the truth: what every measure reads, prepared once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tyto/measure/views.hpp"
#include "tyto/record/record.hpp"

namespace tyto {

constexpr Index kAllSteps = -1;  // the step of a sum over increments
constexpr Index kTopRanks = 5;   // of top-k accuracy

// The vectors have an entry per sample, in the order of the phase. A sum over increments has the
// key and the counts alone.
struct PhaseView {
  PhaseKey key;
  NovelTo novel_to = NovelTo::predictor;

  Views views;
  // Samples whose class is among the first kTopRanks entries; missing if fewer were recorded.
  std::optional<Confusion::Count> hits_in_top;

  std::vector<std::string> names;              // `unknown`, the known classes, then the others
  std::vector<std::int32_t> actual, decision;  // places in `names`
  std::vector<std::uint8_t> is_novel;          // of a class outside the reference's known set
  std::vector<std::uint8_t> is_called_novel;   // decided for a name outside of it
  std::vector<float> novelty;                  // empty if not recorded
  std::vector<float> p_true, confidence;       // as recorded

  [[nodiscard]] const std::string& actual_name(Index i) const;
  [[nodiscard]] const std::string& decision_name(Index i) const;

  // Adds the counts of another increment; the entries per sample are dropped.
  void merge(const PhaseView& other);
};

// Throws Error(data) naming phase and sample if the truth has no label for it or the phase's
// columns differ in length.
PhaseView view_phase(const Phase& phase, const Truth& truth, NovelTo novel_to = NovelTo::predictor);

}  // namespace tyto
