// SPDX-License-Identifier: Apache-2.0
// Bayesian binning: histograms of many numbers of bins, averaged by how well each explains the
// answers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tyto/calibration/confidence_map.hpp"
#include "tyto/calibration/step_map.hpp"

namespace tyto {

namespace {

constexpr double kPrior = 2.0;         // N' of the paper: samples' worth of prior in all bins
constexpr double kNegligible = 1e-14;  // weight of a histogram, of the best one's

struct WeighedHistogram {
  double weight;
  Steps steps;
};

class BbqMap final : public ConfidenceMap {
 public:
  BbqMap(std::string_view score, Index fewest, Index most)
      : bic_(score == "bic"), fewest_(fewest), most_(most) {}

  void fit(std::span<const double> log_odds, std::span<const std::uint8_t> hit) override {
    const std::vector<double> p = probabilities_of(log_odds);
    const double root = std::cbrt(static_cast<double>(p.size()));
    const Index first =
        fewest_ > 0 ? fewest_ : std::max<Index>(1, static_cast<Index>(std::lround(root / 10.0)));
    const Index last =
        std::max(first, most_ > 0 ? most_ : static_cast<Index>(std::lround(10.0 * root)));
    std::vector<WeighedHistogram> all;
    double best = -std::numeric_limits<double>::infinity();
    for (Index bins = first; bins <= last; ++bins) {
      Steps steps = fit_steps(p, hit, even_edges(bins));
      const double score = bic_ ? bic(steps, p.size()) : evidence(steps);
      best = std::max(best, score);
      all.push_back({score, std::move(steps)});
    }
    models_.clear();
    double sum = 0.0;
    for (WeighedHistogram& model : all) {
      model.weight = std::exp(model.weight - best);
      if (model.weight > kNegligible) {
        sum += model.weight;
        models_.push_back(std::move(model));
      }
    }
    for (WeighedHistogram& model : models_) {
      model.weight /= sum;
    }
  }

  [[nodiscard]] double probability(double log_odds) const override {
    const double p = logistic(log_odds);
    double out = 0.0;
    for (const WeighedHistogram& model : models_) {
      out += model.weight * model.steps.value[model.steps.index_of(p)];
    }
    return out;
  }

  [[nodiscard]] Numbers numbers() const override {
    Numbers out{{"bins", {}}, {"weight", {}}, {"value", {}}};
    for (const WeighedHistogram& model : models_) {
      out["bins"].push_back(static_cast<double>(model.steps.value.size()));
      out["weight"].push_back(model.weight);
      out["value"].insert(out["value"].end(), model.steps.value.begin(), model.steps.value.end());
    }
    return out;
  }

  void set(const Numbers& numbers) override {
    models_.clear();
    auto from = numbers.at("value").begin();
    for (std::size_t i = 0; i < numbers.at("bins").size(); ++i) {
      const auto bins = static_cast<Index>(numbers.at("bins")[i]);
      WeighedHistogram model{numbers.at("weight").at(i), {}};
      model.steps.upper = even_edges(bins);
      model.steps.value.assign(from, from + bins);
      from += bins;
      models_.push_back(std::move(model));
    }
  }

 private:
  // Minus half of the Bayesian information criterion.
  static double bic(const Steps& steps, std::size_t n) {
    double log_likelihood = 0.0;
    for (std::size_t b = 0; b < steps.value.size(); ++b) {
      const double misses = static_cast<double>(steps.count[b]) - steps.hits[b];
      log_likelihood += steps.hits[b] > 0.0 ? steps.hits[b] * std::log(steps.value[b]) : 0.0;
      log_likelihood += misses > 0.0 ? misses * std::log1p(-steps.value[b]) : 0.0;
    }
    return log_likelihood -
           0.5 * static_cast<double>(steps.value.size()) * std::log(static_cast<double>(n));
  }

  // Log of the marginal likelihood with a beta prior about the middle of each bin; the values
  // become means of the posterior.
  static double evidence(Steps& steps) {
    const auto bins = static_cast<double>(steps.value.size());
    const double strength = kPrior / bins;
    double sum = 0.0;
    for (std::size_t b = 0; b < steps.value.size(); ++b) {
      const double middle = (static_cast<double>(b) + 0.5) / bins;
      const double alpha = strength * middle;
      const double beta = strength * (1.0 - middle);
      const auto count = static_cast<double>(steps.count[b]);
      const double hits = steps.hits[b];
      sum += std::lgamma(strength) - std::lgamma(count + strength) + std::lgamma(hits + alpha) -
             std::lgamma(alpha) + std::lgamma(count - hits + beta) - std::lgamma(beta);
      steps.value[b] = (hits + alpha) / (count + strength);
    }
    return sum;
  }

  bool bic_;
  Index fewest_, most_;
  std::vector<WeighedHistogram> models_;
};

constexpr std::array<std::string_view, 2> kBbqScores{"bayes", "bic"};

struct BbqOptions {
  std::string route = "top_label", score = "bayes";
  Index fewest = 0, most = 0;

  void describe(OptionVisitor& v) {
    v.field("route", route, kRoutes, kRouteHelp);
    v.field(
        "score", score, kBbqScores,
        "what weighs the histograms: marginal likelihood with a beta prior, as in the paper, or "
        "the Bayesian information criterion, as in netcal");
    v.field("fewest", fewest, {0, 1e4}, "bins of the coarsest histogram; 0: cube root of n / 10");
    v.field("most", most, {0, 1e4}, "bins of the finest histogram; 0: cube root of n * 10");
  }

  [[nodiscard]] std::unique_ptr<ConfidenceMap> make() const {
    return std::make_unique<BbqMap>(score, fewest, most);
  }
};

}  // namespace

CalibratorSpec bbq_calibrator() {
  return calibrator_spec<BbqOptions, MappedBy<BbqOptions>>(
      "bbq", "histograms of many numbers of bins, weighed by how well each explains the answers",
      "O(n k cbrt(n))",
      "Naeini et al., Obtaining Well Calibrated Probabilities Using Bayesian Binning, AAAI 2015");
}

}  // namespace tyto
