// SPDX-License-Identifier: Apache-2.0
// Beta calibration: a ratio of two beta densities of each class's probability.
#include <cmath>

#include "tyto/calibration/confidence_map.hpp"
#include "tyto/calibration/logistic_fit.hpp"

namespace tyto {

namespace {

double minus_log_one_plus_exp(double x) {
  return x > 0.0 ? -x - std::log1p(std::exp(-x)) : -std::log1p(std::exp(x));
}

// sigmoid(a ln p - b ln(1 - p) + c), a and b not negative: what would be is left out instead.
class BetaMap final : public ConfidenceMap {
 public:
  void fit(std::span<const double> log_odds, std::span<const std::uint8_t> hit) override {
    const std::vector<double> targets(hit.begin(), hit.end());
    Dense<double> inputs(std::ssize(log_odds), 2);
    for (std::size_t i = 0; i < log_odds.size(); ++i) {
      inputs(static_cast<Index>(i), 0) = log_p(log_odds[i]);
      inputs(static_cast<Index>(i), 1) = -log_rest(log_odds[i]);
    }
    const LogisticFit both = fit_logistic(inputs, targets);
    a_ = both.weight[0];
    b_ = both.weight[1];
    c_ = both.weight[2];
    if (a_ >= 0.0 && b_ >= 0.0) {
      return;
    }
    const Index kept = a_ < 0.0 ? 1 : 0;
    const LogisticFit one = fit_logistic(inputs.col(kept), targets);
    const double factor = std::max(0.0, one.weight[0]);
    a_ = kept == 0 ? factor : 0.0;
    b_ = kept == 1 ? factor : 0.0;
    c_ = one.weight[1];
    if (one.weight[0] < 0.0) {  // neither helps: the base rate
      double hits = 0.0;
      for (const double target : targets) {
        hits += target;
      }
      const auto n = static_cast<double>(targets.size());
      c_ = std::log((hits + 1.0) / (n - hits + 1.0));
    }
  }

  [[nodiscard]] double probability(double log_odds) const override {
    return logistic(a_ * log_p(log_odds) - b_ * log_rest(log_odds) + c_);
  }

  [[nodiscard]] Numbers numbers() const override { return {{"a", {a_}}, {"b", {b_}}, {"c", {c_}}}; }

  void set(const Numbers& numbers) override {
    a_ = numbers.at("a").at(0);
    b_ = numbers.at("b").at(0);
    c_ = numbers.at("c").at(0);
  }

 private:
  static double log_p(double log_odds) { return minus_log_one_plus_exp(-log_odds); }

  static double log_rest(double log_odds) { return minus_log_one_plus_exp(log_odds); }

  double a_ = 1, b_ = 1, c_ = 0;
};

struct BetaOptions {
  std::string route = "one_vs_rest";

  void describe(OptionVisitor& v) { v.field("route", route, kRoutes, kRouteHelp); }

  [[nodiscard]] std::unique_ptr<ConfidenceMap> make() const { return std::make_unique<BetaMap>(); }
};

}  // namespace

CalibratorSpec beta_calibrator() {
  return calibrator_spec<BetaOptions, MappedBy<BetaOptions>>(
      "beta", "the ratio of two beta densities of each class's probability",
      "O(n k) a round, some 10 rounds", "Kull et al., Beta calibration, AISTATS 2017");
}

}  // namespace tyto
