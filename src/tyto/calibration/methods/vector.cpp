// SPDX-License-Identifier: Apache-2.0
// Vector scaling: a factor and a shift for every class.
#include "tyto/calibration/linear_calibrator.hpp"
#include "tyto/calibration/temperature_fit.hpp"

namespace tyto {

namespace {

constexpr double kLooseShift = 10.0;  // of a log probability

struct VectorOptions {
  double ridge = 0.0;

  void describe(OptionVisitor& v) {
    v.field("ridge", ridge, {0.0, 1e6},
            "penalty on the distance of factors and shifts from plain temperature scaling");
  }
};

// Fitted on scores at their exact temperature, so that the ridge draws to temperature scaling.
class VectorScaling final : public LinearCalibrator {
 public:
  explicit VectorScaling(VectorOptions options) : options_(options) {}

 protected:
  void do_fit(const CalibrationSet& known, Work&) override {
    const Dense<double> rows = finite_scores(known.logits);
    const double temperature = fit_temperature<double>(rows, known.truth).temperature;
    LinearScaling fit = fit_diagonal(rows / temperature, known.truth, options_.ridge);
    fit.weight /= temperature;
    fit_ = std::move(fit);
    temperature_ = temperature;
    if (fit_.bias.cwiseAbs().maxCoeff() > kLooseShift && options_.ridge == 0.0) {
      note(
          "a class was shifted by more than 10: these samples leave the fit so loose that others "
          "may "
          "come out far off; structured_vector holds it back");
    }
  }

  [[nodiscard]] Dense<double> inputs(const Scores& logits) const override {
    return finite_scores(logits);
  }

 private:
  VectorOptions options_;
};

}  // namespace

CalibratorSpec vector_calibrator() {
  return calibrator_spec<VectorOptions, VectorScaling>(
      "vector", "a factor and a shift for every class; may change the predicted class",
      "O(n k) a round, some 100 rounds",
      "Guo et al., On Calibration of Modern Neural Networks, ICML 2017");
}

}  // namespace tyto
