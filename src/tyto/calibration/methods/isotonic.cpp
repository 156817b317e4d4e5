// SPDX-License-Identifier: Apache-2.0
// Isotonic regression of the confidence by pooling adjacent violators.
#include <algorithm>
#include <numeric>

#include "tyto/calibration/confidence_map.hpp"
#include "tyto/calibration/step_map.hpp"

namespace tyto {

namespace {

struct Block {  // neighbours in probability that share one value
  double low, high, sum, count;

  [[nodiscard]] double mean() const { return sum / count; }
};

// Pool adjacent violators; equal probabilities are one block from the start.
std::vector<Block> rising_blocks(const std::vector<double>& p, std::span<const std::uint8_t> hit) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < order.size();) {
    Block next{p[order[i]], p[order[i]], 0.0, 0.0};
    for (; i < order.size() && p[order[i]] == next.low; ++i) {
      next.sum += hit[order[i]] != 0 ? 1.0 : 0.0;
      next.count += 1.0;
    }
    blocks.push_back(next);
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().high = last.high;
      blocks.back().sum += last.sum;
      blocks.back().count += last.count;
    }
  }
  return blocks;
}

class IsotonicMap final : public ConfidenceMap {
 public:
  explicit IsotonicMap(bool clip) : clip_(clip) {}

  void fit(std::span<const double> log_odds, std::span<const std::uint8_t> hit) override {
    x_.clear();
    y_.clear();
    for (const Block& block : rising_blocks(probabilities_of(log_odds), hit)) {
      x_.push_back(block.low);
      y_.push_back(block.mean());
      if (block.high > block.low) {
        x_.push_back(block.high);
        y_.push_back(block.mean());
      }
    }
    samples_ = std::ssize(log_odds);
  }

  // Straight between the ends of blocks, level beyond the first and the last.
  [[nodiscard]] double probability(double log_odds) const override {
    const double p = logistic(log_odds);
    const auto above =
        static_cast<std::size_t>(std::lower_bound(x_.begin(), x_.end(), p) - x_.begin());
    double value = 0.0;
    if (above == x_.size()) {
      value = y_.back();
    } else if (above == 0 || x_[above] == p) {
      value = y_[above];
    } else {
      const double share = (p - x_[above - 1]) / (x_[above] - x_[above - 1]);
      value = y_[above - 1] + share * (y_[above] - y_[above - 1]);
    }
    return clip_ ? held_back(value, p, samples_) : value;
  }

  [[nodiscard]] Numbers numbers() const override {
    return {{"x", x_}, {"y", y_}, {"samples", {static_cast<double>(samples_)}}};
  }

  void set(const Numbers& numbers) override {
    x_ = numbers.at("x");
    y_ = numbers.at("y");
    samples_ = static_cast<Index>(numbers.at("samples").at(0));
  }

 private:
  bool clip_;
  std::vector<double> x_, y_;
  Index samples_ = 0;
};

struct IsotonicOptions {
  std::string route = "top_label";
  bool clip = true;

  void describe(OptionVisitor& v) {
    v.field("route", route, kRoutes, kRouteHelp);
    v.field("clip", clip, "keep off 0 and 1 by 1 / (samples + 2)");
  }

  [[nodiscard]] std::unique_ptr<ConfidenceMap> make() const {
    return std::make_unique<IsotonicMap>(clip);
  }
};

}  // namespace

CalibratorSpec isotonic_calibrator() {
  return calibrator_spec<IsotonicOptions, MappedBy<IsotonicOptions>>(
      "isotonic", "the rising function of the confidence that fits best", "O(n k log n)",
      "Zadrozny and Elkan, Transforming classifier scores into accurate multiclass probability "
      "estimates, KDD 2002");
}

}  // namespace tyto
