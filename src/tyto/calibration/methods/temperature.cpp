// SPDX-License-Identifier: Apache-2.0
// Temperature scaling: one factor on all scores, solved to its optimum, or by the published steps.
#include <array>

#include <fmt/format.h>

#include "tyto/calibration/epoch_history.hpp"
#include "tyto/calibration/temperature_fit.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kTemperatureForms{"exact", "descent"};
constexpr Index kMostEpochs = 200;  // kept of a descent

struct TemperatureOptions {
  std::string form = "exact";
  double smoothing = 0.0;
  Index steps = 50;
  double rate = 0.01;

  void describe(OptionVisitor& v) {
    v.field("form", form, kTemperatureForms,
            "exact: the optimum; descent: where plain gradient descent on T from 1 ends, as in the "
            "CARING paper's baseline, short of it");
    v.field("smoothing", smoothing, {0.0, 0.999},
            "share of each answer that is spread evenly over all classes; 0: the exact optimum");
    v.field("steps", steps, {0, 1e6}, "form descent: passes over all samples");
    v.field("rate", rate, {1e-8, 10.0}, "form descent: learning rate");
  }
};

class TemperatureScaling final : public ScoreCalibrator {
 public:
  explicit TemperatureScaling(TemperatureOptions options) : options_(std::move(options)) {}

  [[nodiscard]] bool keeps_order() const override { return true; }

  [[nodiscard]] bool by_column() const override { return false; }

  [[nodiscard]] std::vector<Index> epochs() const override { return history_.epochs(); }

  [[nodiscard]] Parameters parameters() const override {
    return {{"temperature", as_parameter(fit_.temperature)},
            {"slope", as_parameter(fit_.slope)},
            {"curvature", as_parameter(fit_.curvature)},
            {"inverse_low", as_parameter(fit_.low)},
            {"inverse_high", as_parameter(fit_.high)},
            {"passes", as_parameter(static_cast<double>(fit_.passes))}};
  }

  void set(const Parameters& given) override {
    fit_.temperature = number_parameter(given, "temperature");
    fit_.slope = number_parameter(given, "slope");
    fit_.curvature = number_parameter(given, "curvature");
    fit_.low = number_parameter(given, "inverse_low");
    fit_.high = number_parameter(given, "inverse_high");
    fit_.passes = static_cast<Index>(number_parameter(given, "passes"));
  }

 protected:
  void do_fit(const CalibrationSet& known, Work&) override {
    history_.clear();
    if (options_.form == "descent") {
      const std::vector<double> path =
          descend_temperature(known.logits, known.truth, options_.steps, options_.rate);
      for (std::size_t step = 0; step < path.size(); ++step) {
        history_.add(static_cast<Index>(step), Eigen::VectorXd::Constant(1, path[step]));
      }
      fit_ = {};
      fit_.temperature = path.back();
      fit_.passes = options_.steps;
      return;
    }
    fit_ = fit_temperature<double>(known.logits, known.truth, options_.smoothing);
    switch (fit_.kind) {
      case TemperatureKind::optimum: break;
      case TemperatureKind::all_right:
        note(
            fmt::format("every one of {} answers has the highest score, so the best temperature "
                        "would be 0; a share of 1 / {} of each answer was spread over all classes",
                        known.truth.size(), known.truth.size() + 1));
        break;
      case TemperatureKind::worse_than_even:
        note(
            "the scores mislead: even probabilities fit at least as well, so the temperature is "
            "as high as keeps an order");
        break;
      case TemperatureKind::flat:
        note("all scores of every row are equal, so any temperature is as good; 1 was taken");
        break;
    }
  }

  [[nodiscard]] Dense<double> do_apply(const Scores& logits, const Dense<double>*) const override {
    return logits / fit_.temperature;
  }

  [[nodiscard]] Dense<double> temperatures_by_epoch(Index rows,
                                                    const Dense<double>*) const override {
    const std::vector<Eigen::VectorXd> values = history_.values();
    Dense<double> out(rows, std::ssize(values));
    for (std::size_t e = 0; e < values.size(); ++e) {
      out.col(static_cast<Index>(e)).setConstant(values[e][0]);
    }
    return out;
  }

  [[nodiscard]] Parameters history() const override { return history_.parameters(); }

  void set_history(const Parameters& given) override { history_.set(given); }

 private:
  TemperatureOptions options_;
  TemperatureFit fit_;
  EpochHistory history_{kMostEpochs};
};

}  // namespace

CalibratorSpec temperature_calibrator() {
  return calibrator_spec<TemperatureOptions, TemperatureScaling>(
      "temperature", "one factor on all scores: the exact optimum, with what is left of its slope",
      "O(n k) a pass, 5 to 9 passes",
      "Guo et al., On Calibration of Modern Neural Networks, ICML 2017");
}

}  // namespace tyto
