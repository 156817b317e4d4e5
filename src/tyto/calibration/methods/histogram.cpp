// SPDX-License-Identifier: Apache-2.0
// Histogram binning: confidence becomes the share of right answers in its bin.
#include "tyto/calibration/confidence_map.hpp"
#include "tyto/calibration/step_map.hpp"

namespace tyto {

namespace {

class HistogramMap final : public ConfidenceMap {
 public:
  HistogramMap(Index bins, bool equal_mass, bool clip)
      : bins_(bins), equal_mass_(equal_mass), clip_(clip) {}

  void fit(std::span<const double> log_odds, std::span<const std::uint8_t> hit) override {
    const std::vector<double> p = probabilities_of(log_odds);
    steps_ = fit_steps(p, hit, equal_mass_ ? mass_edges(p, bins_) : even_edges(bins_));
    samples_ = std::ssize(p);
  }

  [[nodiscard]] double probability(double log_odds) const override {
    const double p = logistic(log_odds);
    const double value = steps_.value[steps_.index_of(p)];
    return clip_ ? held_back(value, p, samples_) : value;
  }

  [[nodiscard]] Numbers numbers() const override {
    return {{"upper", steps_.upper},
            {"value", steps_.value},
            {"samples", {static_cast<double>(samples_)}}};
  }

  void set(const Numbers& numbers) override {
    steps_.upper = numbers.at("upper");
    steps_.value = numbers.at("value");
    samples_ = static_cast<Index>(numbers.at("samples").at(0));
  }

 private:
  Index bins_;
  bool equal_mass_, clip_;
  Steps steps_;
  Index samples_ = 0;
};

struct HistogramOptions {
  std::string route = "top_label";
  Index bins = 10;
  bool equal_mass = false, clip = true;

  void describe(OptionVisitor& v) {
    v.field("route", route, kRoutes, kRouteHelp);
    v.field("bins", bins, {1, 1e6}, "intervals of the probability");
    v.field("equal_mass", equal_mass, "as many samples in each rather than the same width");
    v.field("clip", clip, "keep off 0 and 1 by 1 / (samples + 2)");
  }

  [[nodiscard]] std::unique_ptr<ConfidenceMap> make() const {
    return std::make_unique<HistogramMap>(bins, equal_mass, clip);
  }
};

}  // namespace

CalibratorSpec histogram_calibrator() {
  return calibrator_spec<HistogramOptions, MappedBy<HistogramOptions>>(
      "histogram", "the share of right answers among samples of like confidence",
      "O(n k), O(n log n) with equal mass",
      "Zadrozny and Elkan, Obtaining calibrated probability estimates, ICML 2001");
}

}  // namespace tyto
