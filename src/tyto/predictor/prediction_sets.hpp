// SPDX-License-Identifier: Apache-2.0
// Sets of known classes behind any predictor's answers, which hold the true class of a known sample
// with a promised probability.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tyto/calibrate/conformal_sets.hpp"
#include "tyto/predictor/predictor.hpp"

namespace tyto {

// Fitted on the predictor's answers to samples it never fitted on, and only good for that
// predictor as it stood: a lesson later they are fitted again. Probabilities count given that the
// sample is known; what the predictor calls novel is for its user to set aside.
class PredictionSets {
 public:
  explicit PredictionSets(SetOptions options, std::uint64_t seed = 1)
      : sets_(std::move(options)), seed_(seed) {}

  // `names` are the true classes. Samples of classes the predictor does not know are left out;
  // throws Error(data) where none is left.
  void fit(const Predictor& predictor, const Samples& held, std::span<const std::string> names);

  // Likeliest first. The same for a sample in whatever batch.
  [[nodiscard]] std::vector<std::vector<Label>> sets(const Predictor& predictor,
                                                     const Samples& samples) const;

  [[nodiscard]] const ConformalSets& rule() const { return sets_; }

 private:
  [[nodiscard]] std::vector<double> uniforms(const Samples& samples) const;

  ConformalSets sets_;
  std::uint64_t seed_;
  std::vector<Label> known_;  // columns when fitted
};

}  // namespace tyto
