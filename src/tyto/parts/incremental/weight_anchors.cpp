// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/incremental/weight_anchors.hpp"

#include <fmt/format.h>

namespace tyto {

void WeightAnchors::merge(const State& importance, const State& at) {
  if (anchors_.empty()) {
    append(importance, at);
    return;
  }
  Anchor& all = anchors_.front();
  for (const auto& [name, value] : importance.values) {
    Matrix sum = std::get<Matrix>(value);
    const auto& before = all.importance.get<Matrix>(name);
    // The output layer has grown: by rows of weights, by columns of biases.
    sum.topLeftCorner(before.rows(), before.cols()) += before;
    all.importance.set(name, std::move(sum));
  }
  all.at = at;
}

std::vector<Anchor> WeightAnchors::weighted(double weight) const {
  std::vector<Anchor> anchors = anchors_;
  for (Anchor& anchor : anchors) {
    anchor.weight = weight;
  }
  return anchors;
}

void WeightAnchors::save(State& state) const {
  state.set("anchors", static_cast<std::int64_t>(anchors_.size()));
  for (std::size_t i = 0; i < anchors_.size(); ++i) {
    state.make_child(fmt::format("importance_{}", i)) = anchors_[i].importance;
    state.make_child(fmt::format("anchor_{}", i)) = anchors_[i].at;
  }
}

void WeightAnchors::load(const State& state) {
  anchors_.clear();
  for (std::int64_t i = 0; i < state.get<std::int64_t>("anchors"); ++i) {
    append(state.child(fmt::format("importance_{}", i)), state.child(fmt::format("anchor_{}", i)));
  }
}

}  // namespace tyto
