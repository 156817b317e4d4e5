// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/prediction_sets.hpp"

#include <algorithm>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/math/score_rows.hpp"
#include "tyto/parts/known_columns.hpp"

namespace tyto {

std::vector<double> PredictionSets::uniforms(const Samples& samples) const {
  std::vector<double> out;
  for (Index i = 0; i < samples.size(); ++i) {
    out.push_back(Rng(seed_, "sets", static_cast<std::uint32_t>(samples.id(i))).uniform());
  }
  return out;
}

Matrix given_known(const Evidence& evidence) {
  if (evidence.log_known.cols() > 0) {
    return evidence.log_known;
  }
  const std::vector<Index> columns = known_columns(evidence);
  if (columns.empty() || evidence.size() == 0) {
    return Matrix(evidence.size(), 0);
  }
  const Dense<double> logits = evidence.logits(Eigen::all, columns).cast<double>();
  return score_log_probabilities(logits).cast<float>();
}

std::vector<Label> known_labels(const Evidence& evidence) {
  std::vector<Label> known;
  for (const Index column : known_columns(evidence)) {
    known.push_back(evidence.classes[static_cast<std::size_t>(column)]);
  }
  return known;
}

void PredictionSets::fit(const KnownBelief& held, std::span<const Label> labels) {
  TYTO_ASSERT(std::ssize(labels) == held.samples.size());
  std::vector<Index> rows;
  std::vector<Index> truth;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto at = std::find(held.known.begin(), held.known.end(), labels[i]);
    if (at != held.known.end()) {
      rows.push_back(static_cast<Index>(i));
      truth.push_back(at - held.known.begin());
    }
  }
  if (rows.empty()) {
    return;
  }
  const Dense<double> scores = held.log_known(rows, Eigen::all).cast<double>();
  sets_.fit(scores, truth, uniforms(held.samples.pick(rows)));
  known_.assign(held.known.begin(), held.known.end());
}

std::vector<std::vector<Label>> PredictionSets::sets(const KnownBelief& belief) const {
  std::vector<std::vector<Label>> out;
  if (!sets_.is_fitted() || belief.samples.empty() ||
      !std::equal(belief.known.begin(), belief.known.end(), known_.begin(), known_.end())) {
    return out;
  }
  const Dense<double> scores = belief.log_known.cast<double>();
  for (const ClassSet& columns : sets_.sets(scores, uniforms(belief.samples))) {
    auto& labels = out.emplace_back();
    for (const Index column : columns) {
      labels.push_back(known_[static_cast<std::size_t>(column)]);
    }
  }
  return out;
}

void PredictionSets::save(State& state) const {
  save_labels(state, "known", known_);
  sets_.save(state.make_child("rule"));
}

void PredictionSets::load(const State& state) {
  known_ = load_labels(state, "known");
  sets_.load(state.child("rule"));
}

}  // namespace tyto
