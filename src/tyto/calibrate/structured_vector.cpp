// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibrate/linear_calibrator.hpp"
#include "tyto/math/temperature.hpp"

namespace tyto {

namespace {

struct StructuredVectorOptions {
  double strength = 1.0;

  void describe(OptionVisitor& v) {
    v.field("strength", strength, {1e-6, 1e6},
            "of the ridge on factors and shifts, in units of classes / samples");
  }
};

// Temperature first; then a factor and a shift per class on the log probabilities, held to 1 and 0
// the more, the fewer samples there are for a class.
class StructuredVectorScaling final : public LinearCalibrator {
 public:
  explicit StructuredVectorScaling(StructuredVectorOptions options) : options_(options) {}

 protected:
  void do_fit(const CalibrationSet& known, Work&) override {
    const double temperature = fit_temperature<double>(known.logits, known.truth).temperature;
    const double ridge = options_.strength * static_cast<double>(known.logits.cols()) /
                         static_cast<double>(known.truth.size());
    fit_ = fit_diagonal(at(known.logits, temperature), known.truth, ridge);
    temperature_ = temperature;
  }

  [[nodiscard]] Dense<double> inputs(const Scores& logits) const override {
    return at(logits, temperature_);
  }

 private:
  static Dense<double> at(const Scores& logits, double temperature) {
    return finite_scores(score_log_probabilities(logits / temperature));
  }

  StructuredVectorOptions options_;
};

}  // namespace

CalibratorSpec structured_vector_calibrator() {
  return calibrator_spec<StructuredVectorOptions, StructuredVectorScaling>(
      "structured_vector",
      "temperature, then a factor and a shift per class held back by a ridge of classes / samples; "
      "may change the predicted class",
      "O(n k) a round, some 50 rounds", "Structured vector scaling, dholzmueller/probmetrics");
}

}  // namespace tyto
