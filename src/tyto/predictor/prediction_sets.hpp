// SPDX-License-Identifier: Apache-2.0
// Sets of known classes beside a predictor's answers, which hold the true class of a known sample
// with a promised probability.
#pragma once

#include <span>
#include <vector>

#include "tyto/calibration/conformal_sets.hpp"
#include "tyto/parts/evidence.hpp"

namespace tyto {

// What a predictor believes of samples given that they are known: log probabilities, a column per
// entry of `known`. Lent for the call.
struct KnownBelief {
  const Samples& samples;
  const Matrix& log_known;
  std::span<const Label> known;
};

// Log probabilities of the known columns: the calibrator's, or those of the plain logits.
Matrix given_known(const Evidence& evidence);
std::vector<Label> known_labels(const Evidence& evidence);  // of these columns

// Fitted on samples the predictor never fitted on, after every lesson anew. Counts given that the
// sample is known; what the predictor calls novel is for its user to set aside.
class PredictionSets {
 public:
  PredictionSets(SetOptions options, std::uint64_t seed) : sets_(std::move(options)), seed_(seed) {}

  // `labels` are the true classes. Samples of classes without a column are left out; with none
  // left the sets stay as they were.
  void fit(const KnownBelief& held, std::span<const Label> labels);

  // Likeliest first; the same for a sample in whatever batch. Empty where nothing was fitted for
  // these columns.
  [[nodiscard]] std::vector<std::vector<Label>> sets(const KnownBelief& belief) const;

  [[nodiscard]] double promise() const { return 1.0 - sets_.options().error; }

  [[nodiscard]] const ConformalSets& rule() const { return sets_; }

  void save(State& state) const;
  void load(const State& state);

 private:
  [[nodiscard]] std::vector<double> uniforms(const Samples& samples) const;

  ConformalSets sets_;
  std::uint64_t seed_;
  std::vector<Label> known_;  // columns when fitted
};

}  // namespace tyto
