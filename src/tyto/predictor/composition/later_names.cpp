// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/later_names.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace tyto {

namespace {

// Rows of log probabilities whose columns are named anew; a column named unknown is dropped.
void join_log_columns(Prediction& prediction, const std::vector<Label>& named) {
  std::vector<Label> names;
  for (const Label label : named) {
    if (label != Label::unknown && std::find(names.begin(), names.end(), label) == names.end()) {
      names.push_back(label);
    }
  }
  Matrix joined = Matrix::Constant(prediction.log_known.rows(), std::ssize(names),
                                   -std::numeric_limits<float>::infinity());
  for (Index i = 0; i < joined.rows(); ++i) {
    std::vector<double> sums(names.size(), 0.0);
    double all = 0;
    for (std::size_t c = 0; c < named.size(); ++c) {
      const auto place = std::find(names.begin(), names.end(), named[c]);
      if (place != names.end()) {
        const double p =
            std::exp(static_cast<double>(prediction.log_known(i, static_cast<Index>(c))));
        sums[static_cast<std::size_t>(place - names.begin())] += p;
        all += p;
      }
    }
    if (all > 0) {
      for (std::size_t c = 0; c < names.size(); ++c) {
        joined(i, static_cast<Index>(c)) = static_cast<float>(std::log(sums[c] / all));
      }
    }
  }
  prediction.log_known = std::move(joined);
  prediction.known = std::move(names);
}

void save_pairs(State& state, std::string_view key, const std::map<Label, Label>& map) {
  std::vector<std::int64_t> pairs;
  for (const auto& [from, to] : map) {
    pairs.push_back(static_cast<std::int64_t>(from));
    pairs.push_back(static_cast<std::int64_t>(to));
  }
  state.set(key, std::move(pairs));
}

std::map<Label, Label> load_pairs(const State& state, std::string_view key) {
  std::map<Label, Label> map;
  const auto& pairs = state.get<std::vector<std::int64_t>>(key);
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    map.emplace(static_cast<Label>(pairs[i]), static_cast<Label>(pairs[i + 1]));
  }
  return map;
}

}  // namespace

Label LaterNames::called(Label label) const {
  const auto found = called_.find(label);
  return found == called_.end() ? label : found->second;
}

void LaterNames::add(const LabelChange& change, LabelSpace& space) {
  std::vector<Label> old;
  for (const std::string& name : change.from) {
    if (const auto label = space.find(name)) {
      old.push_back(*label);
    }
  }
  if (old.empty()) {
    return;
  }
  const bool is_new = change.kind != LabelChangeKind::split && !space.find(change.to);
  const Label now =
      change.kind == LabelChangeKind::split ? Label::unknown : space.add_known(change.to);
  for (Index i = 1; i < space.size(); ++i) {
    const auto label = static_cast<Label>(i);
    const bool goes = std::find(old.begin(), old.end(), called(label)) != old.end();
    if (goes && label != now) {
      called_[label] = now;
    } else if (label == now) {
      called_.erase(label);  // a name that comes back
    }
  }
  if (is_new && change.kind == LabelChangeKind::rename) {
    const auto learned = learned_as_.find(old.front());
    learned_as_[now] = learned == learned_as_.end() ? old.front() : learned->second;
  }
}

void LaterNames::learn(std::vector<Label>& labels) {
  for (Label& label : labels) {
    if (const auto found = learned_as_.find(label); found != learned_as_.end()) {
      label = found->second;
    } else if (const auto split = called_.find(label);
               split != called_.end() && split->second == Label::unknown) {
      called_.erase(split);
    }
  }
}

void LaterNames::apply(Prediction& prediction) const {
  if (called_.empty()) {
    return;
  }
  for (const auto& [label, now] : called_) {
    prediction.probability.col(static_cast<Index>(now)) +=
        prediction.probability.col(static_cast<Index>(label));
    prediction.probability.col(static_cast<Index>(label)).setZero();
  }
  for (Label& label : prediction.label) {
    label = called(label);
  }
  for (std::vector<Label>& set : prediction.sets) {
    std::vector<Label> named;
    for (const Label label : set) {
      const Label now = called(label);
      if (now != Label::unknown && std::find(named.begin(), named.end(), now) == named.end()) {
        named.push_back(now);
      }
    }
    set = std::move(named);
  }
  if (prediction.log_known.cols() > 0) {
    std::vector<Label> named;
    for (const Label label : prediction.known) {
      named.push_back(called(label));
    }
    join_log_columns(prediction, named);
  }
}

void LaterNames::save(State& state) const {
  if (!called_.empty() || !learned_as_.empty()) {
    save_pairs(state, "called", called_);
    save_pairs(state, "learned_as", learned_as_);
  }
}

void LaterNames::load(const State& state) {
  called_.clear();
  learned_as_.clear();
  if (state.has("called")) {
    called_ = load_pairs(state, "called");
    learned_as_ = load_pairs(state, "learned_as");
  }
}

}  // namespace tyto
