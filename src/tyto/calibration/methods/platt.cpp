// SPDX-License-Identifier: Apache-2.0
// Platt scaling: a logistic function of each class's log odds.
#include <algorithm>

#include "tyto/calibration/confidence_map.hpp"
#include "tyto/calibration/logistic_fit.hpp"

namespace tyto {

namespace {

// sigmoid(a s + b) of the log odds s.
class PlattMap final : public ConfidenceMap {
 public:
  explicit PlattMap(bool smoothed) : smoothed_(smoothed) {}

  void fit(std::span<const double> log_odds, std::span<const std::uint8_t> hit) override {
    const auto hits = static_cast<double>(std::count(hit.begin(), hit.end(), 1));
    const auto misses = static_cast<double>(hit.size()) - hits;
    const double high = smoothed_ ? (hits + 1.0) / (hits + 2.0) : 1.0;
    const double low = smoothed_ ? 1.0 / (misses + 2.0) : 0.0;
    std::vector<double> targets;
    for (const std::uint8_t one : hit) {
      targets.push_back(one != 0 ? high : low);
    }
    const Dense<double> inputs =
        Eigen::Map<const Eigen::VectorXd>(log_odds.data(), std::ssize(log_odds));
    const LogisticFit found = fit_logistic(inputs, targets);
    a_ = found.weight[0];
    b_ = found.weight[1];
    loss_ = found.loss;
  }

  [[nodiscard]] double probability(double log_odds) const override {
    return logistic(a_ * log_odds + b_);
  }

  [[nodiscard]] Numbers numbers() const override {
    return {{"a", {a_}}, {"b", {b_}}, {"loss", {loss_}}};
  }

  void set(const Numbers& numbers) override {
    a_ = numbers.at("a").at(0);
    b_ = numbers.at("b").at(0);
    loss_ = numbers.at("loss").at(0);
  }

 private:
  bool smoothed_;
  double a_ = 1, b_ = 0, loss_ = 0;
};

struct PlattOptions {
  std::string route = "one_vs_rest";
  bool smoothed = true;

  void describe(OptionVisitor& v) {
    v.field("route", route, kRoutes, kRouteHelp);
    v.field("smoothed", smoothed,
            "targets (n+ + 1) / (n+ + 2) and 1 / (n- + 2) instead of 1 and 0, as Platt");
  }

  [[nodiscard]] std::unique_ptr<ConfidenceMap> make() const {
    return std::make_unique<PlattMap>(smoothed);
  }
};

}  // namespace

CalibratorSpec platt_calibrator() {
  return calibrator_spec<PlattOptions, MappedBy<PlattOptions>>(
      "platt", "a logistic function of each class's log odds", "O(n k) a round, some 10 rounds",
      "Platt, Probabilistic Outputs for Support Vector Machines, 1999");
}

}  // namespace tyto
