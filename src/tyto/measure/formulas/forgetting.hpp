// SPDX-License-Identifier: Apache-2.0
// How much of what a class was named right by is lost again (Chaudhry et al., Riemannian Walk for
// Incremental Learning, ECCV 2018, with classes for tasks).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tyto/measure/phase_view.hpp"

namespace tyto {

// Takes the evaluations of one phase and split in the order of their steps; keeps a few numbers for
// each class. Recall is the share of a class's samples that got its very name.
class Forgetting {
 public:
  using ByClass = std::map<std::string, double>;  // points of recall lost

  // O(samples log classes).
  void add(const PhaseView& view);

  // Of the old classes the evaluation added last has samples of: the best recall at an earlier one
  // at which the predictor knew the class, minus recall now. Negative: better than ever.
  [[nodiscard]] const ByClass& now() const { return now_; }

  // Of every class that was old at some evaluation: the value at the last of them.
  [[nodiscard]] const ByClass& at_last() const { return at_last_; }

 private:
  std::map<std::string, double> best_;  // so far, of classes known then
  ByClass now_, at_last_;
};

// Is it tested there what was learned? In the phase `post` of a run, and anywhere in a table that
// names no phases.
bool is_after_learning(std::string_view phase);

// Missing if there is no class.
std::optional<double> mean_forgetting(const Forgetting::ByClass& values);

}  // namespace tyto
