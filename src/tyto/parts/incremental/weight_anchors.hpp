// SPDX-License-Identifier: Apache-2.0
// Where weights stood after earlier lessons, and how much each mattered there.
#pragma once

#include <vector>

#include "tyto/nn/network.hpp"

namespace tyto {

class WeightAnchors {
 public:
  // One anchor, where the weights stand now, with the importances of all lessons added up.
  void merge(const State& importance, const State& at);

  // One more anchor beside those of earlier lessons, as the vCLIMB scripts have it.
  void append(State importance, State at) {
    anchors_.push_back({0.0, std::move(importance), std::move(at)});
  }

  void clear() { anchors_.clear(); }

  // With this weight each.
  [[nodiscard]] std::vector<Anchor> weighted(double weight) const;

  void save(State& state) const;
  void load(const State& state);

 private:
  std::vector<Anchor> anchors_;
};

}  // namespace tyto
