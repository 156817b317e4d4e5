// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/group_count.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <vector>

#include "tyto/cluster/dp_mixture.hpp"
#include "tyto/cluster/kmeans.hpp"
#include "tyto/cluster/labelled_rows.hpp"

namespace tyto {

namespace {

constexpr double kRoughly = 1e-4;  // tolerance of the runs that only count groups
constexpr Index kRoughIterations = 100;
constexpr double kLeastWeight = 1e-3;  // of a component that counts

// Values that were asked for, each worked out once.
class Valued {
 public:
  explicit Valued(const ValueOf& value) : value_(value) {}

  double at(Index x) {
    const auto known = seen_.find(x);
    return known != seen_.end() ? known->second : seen_.emplace(x, value_(x)).first->second;
  }

  [[nodiscard]] Index best() const {
    const auto found =
        std::max_element(seen_.rbegin(), seen_.rend(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return found->first;
  }

 private:
  const ValueOf& value_;
  std::map<Index, double> seen_;
};

// Log-likelihood of groups that share one spherical variance, less half the logarithm of n for each
// of their numbers (Pelleg and Moore 2000).
double information_criterion(const KMeansResult& found, Index width) {
  const auto n = static_cast<double>(found.group.size());
  const auto d = static_cast<double>(width);
  const auto k = static_cast<double>(found.centres.rows());
  std::vector<double> size(static_cast<std::size_t>(found.centres.rows()), 0.0);
  for (const std::int32_t g : found.group) {
    size[static_cast<std::size_t>(g)] += 1.0;
  }
  const double variance = std::max(found.inertia / (d * std::max(n - k, 1.0)), 1e-30);
  double likelihood =
      -0.5 * n * d * std::log(2.0 * std::numbers::pi * variance) - 0.5 * d * (n - k);
  for (const double members : size) {
    likelihood += members > 0.0 ? members * std::log(members / n) : 0.0;
  }
  return likelihood - 0.5 * (k * d + k) * std::log(n);
}

Index mixture_components(const MatrixView& rows, Index most, const Rng& rng) {
  const KMeansResult start = k_means(rows, most, rng.fork("components"));
  DpMixtureOptions options;
  options.least_weight = kLeastWeight;
  const DpMixture found = fit_dp_mixture(rows, start.group, start.centres.rows(), options);
  std::vector<std::int32_t> used = found.best;
  std::sort(used.begin(), used.end());
  return std::unique(used.begin(), used.end()) - used.begin();
}

}  // namespace

Index golden_section(Index low, Index high, const ValueOf& value) {
  constexpr double kGolden = 0.6180339887498949;
  Valued valued(value);
  while (high - low > 2) {
    const auto step = static_cast<Index>(std::lround(kGolden * static_cast<double>(high - low)));
    const Index right = std::min(low + step, high - 1);
    const Index left = std::min(low + high - right, right - 1);
    if (valued.at(left) > valued.at(right)) {
      high = right;
    } else {
      low = left;
    }
  }
  for (Index x = low; x <= high; ++x) {
    valued.at(x);
  }
  return valued.best();
}

Index brent_search(Index low, Index high, const ValueOf& value) {
  constexpr int kMost = 500;
  constexpr double kClose = 1e-5;
  Valued valued(value);
  const auto cost = [&](double x) {
    return -valued.at(std::clamp(static_cast<Index>(x), low, high));
  };
  const double golden = 0.5 * (3.0 - std::sqrt(5.0));
  const double least = std::sqrt(std::numeric_limits<double>::epsilon());
  auto a = static_cast<double>(low);
  auto b = static_cast<double>(high);
  double x = a + golden * (b - a);  // the best so far
  double w = x;                     // the second best, and before it
  double v = x;
  double step = 0.0;
  double before = 0.0;
  double at_x = cost(x);
  double at_w = at_x;
  double at_v = at_x;
  for (int i = 0; i < kMost; ++i) {
    const double middle = 0.5 * (a + b);
    const double close = least * std::abs(x) + kClose / 3.0;
    if (std::abs(x - middle) <= 2.0 * close - 0.5 * (b - a)) {
      break;
    }
    bool by_section = true;
    if (std::abs(before) > close) {
      double r = (x - w) * (at_x - at_v);
      double q = (x - v) * (at_x - at_w);
      double p = (x - v) * q - (x - w) * r;
      q = 2.0 * (q - r);
      p = q > 0.0 ? -p : p;
      q = std::abs(q);
      r = before;
      before = step;
      if (std::abs(p) < std::abs(0.5 * q * r) && p > q * (a - x) && p < q * (b - x)) {
        step = p / q;
        const double next = x + step;
        if (next - a < 2.0 * close || b - next < 2.0 * close) {
          step = middle >= x ? close : -close;
        }
        by_section = false;
      }
    }
    if (by_section) {
      before = x >= middle ? a - x : b - x;
      step = golden * before;
    }
    const double next =
        x + (step >= 0.0 ? std::max(std::abs(step), close) : -std::max(std::abs(step), close));
    const double at_next = cost(next);
    if (at_next <= at_x) {
      (next >= x ? a : b) = x;
      v = w;
      at_v = at_w;
      w = x;
      at_w = at_x;
      x = next;
      at_x = at_next;
    } else {
      (next < x ? a : b) = next;
      if (at_next <= at_w || w == x) {
        v = w;
        at_v = at_w;
        w = next;
        at_w = at_next;
      } else if (at_next <= at_v || v == x || v == w) {
        v = next;
        at_v = at_next;
      }
    }
  }
  return valued.best();
}

Index bisection(Index low, Index high, const ValueOf& value) {
  Valued valued(value);
  valued.at(low);
  valued.at(high);
  const auto rounds =
      high > low ? static_cast<Index>(std::log2(static_cast<double>(high - low))) : 0;
  for (Index round = 0; round < rounds; ++round) {
    const Index middle = (low + high) / 2;
    valued.at(middle);
    (valued.at(high) > valued.at(low) ? low : high) = middle;
  }
  return valued.best();
}

Index estimate_groups(const MatrixView& rows, std::span<const std::int32_t> pinned, Index classes,
                      const GroupEstimate& estimate, Work& work) {
  const Index fewest = std::max(Index{1}, classes);
  const Index most = std::max(fewest, std::min(estimate.max_groups, rows.rows()));
  // Each number from its own stream, so that the answer does not depend on the path.
  const auto tried = [&](Index groups) {
    work.progress.pulse();
    const Rng rng = work.rng.fork("estimate", static_cast<std::uint64_t>(groups));
    return k_means(rows, groups, rng, {1, kRoughIterations, kRoughly});
  };
  if (estimate.how == "dp") {
    return std::clamp(mixture_components(rows, most, work.rng), fewest, most);
  }
  if (estimate.how == "bic") {
    return golden_section(fewest, most, [&](Index groups) {
      return information_criterion(tried(groups), rows.cols());
    });
  }
  const ValueOf right = [&](Index groups) {
    const KMeansResult found = tried(groups);
    return static_cast<double>(rows_right(found.group, pinned, classes));
  };
  return estimate.how == "brent"       ? brent_search(fewest, most, right)
         : estimate.how == "bisection" ? bisection(fewest, most, right)
                                       : golden_section(fewest, most, right);
}

}  // namespace tyto
