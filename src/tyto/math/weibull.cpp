// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/weibull.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr double kTranslate = 1.0;
constexpr double kZeroShare = 1e-6;
constexpr double kFlattest = 1e-6;
constexpr int kMostSteps = 200;

// The score equation in k, for y = ln(t / max t): sum y e^(ky) / sum e^(ky) - mean y - 1/k. It
// grows with k from minus infinity to -mean y > 0.
struct Score {
  Eigen::ArrayXd y, weight;
  double mean;

  explicit Score(Eigen::ArrayXd logs) : y(std::move(logs)), weight(y.size()), mean(y.mean()) {}

  struct At {
    double value, slope;  // slope by ln k
  };

  At operator()(double k) {
    weight = (k * y).exp();
    const double sum = weight.sum();
    const double first = (weight * y).sum() / sum;
    const double second = (weight * y.square()).sum() / sum;
    return {first - mean - 1.0 / k, k * std::max(0.0, second - first * first) + 1.0 / k};
  }
};

TailFit fit_tail(std::span<const double> data, std::size_t tail, double sign) {
  if (data.empty() || tail == 0) {
    throw Error(ErrorKind::data, "a Weibull tail needs at least one value");
  }
  std::vector<double> values;
  for (const double x : data) {
    values.push_back(sign * x);
  }
  const auto count = static_cast<std::ptrdiff_t>(std::min(tail, values.size()));
  std::partial_sort(values.begin(), values.begin() + count, values.end(), std::greater<>());
  values.resize(static_cast<std::size_t>(count));
  TailFit fit;
  fit.sign = sign;
  fit.small_score = values.back();
  for (double& value : values) {
    value += kTranslate - fit.small_score;
  }
  fit.weibull = fit_weibull(values);
  return fit;
}

}  // namespace

double Weibull::log_hazard_sum(double t) const {
  return t > 0.0 ? shape * (std::log(t) - std::log(scale))
                 : -std::numeric_limits<double>::infinity();
}

double Weibull::cdf(double t) const {
  return -std::expm1(-std::exp(log_hazard_sum(t)));
}

double Weibull::quantile(double p) const {
  return scale * std::pow(-std::log1p(-p), 1.0 / shape);
}

Weibull fit_weibull(std::span<const double> values) {
  TYTO_ASSERT(!values.empty());
  const double largest = *std::max_element(values.begin(), values.end());
  if (!(largest > 0.0)) {
    return {std::numeric_limits<double>::min(), kSteepestWeibull};
  }
  double zero = kZeroShare * largest;
  for (const double value : values) {
    zero = value > 0.0 ? std::min(zero, value) : zero;
  }
  const auto n = static_cast<Eigen::Index>(values.size());
  Score score((Eigen::Map<const Eigen::ArrayXd>(values.data(), n).max(zero) / largest).log());
  const auto scale_for = [&](double shape) {
    return largest * std::exp(std::log((shape * score.y).exp().mean()) / shape);
  };
  const double variance = (score.y - score.mean).square().sum() / static_cast<double>(n);
  if (!(score(kSteepestWeibull).value > 0.0)) {  // all equal, or nearly so
    return {scale_for(kSteepestWeibull), kSteepestWeibull};
  }
  // Of ln t the deviation is pi / (sqrt(6) k).
  double low = std::log(kFlattest);
  double high = std::log(kSteepestWeibull);
  double at = std::clamp(std::log(1.2825498301618641 / std::sqrt(variance)), low, high);
  for (int step = 0; step < kMostSteps; ++step) {
    const auto [value, slope] = score(std::exp(at));
    (value > 0.0 ? high : low) = at;
    double next = at - value / slope;
    if (!(next > low && next < high)) {
      next = 0.5 * (low + high);
    }
    const double moved = std::abs(next - at);
    at = next;
    if (moved <= 1e-14 * std::max(1.0, std::abs(at))) {
      break;
    }
  }
  const double shape = std::exp(at);
  return {scale_for(shape), shape};
}

double TailFit::w_score(double x) const {
  return weibull.cdf(sign * x + kTranslate - small_score);
}

double TailFit::inverse(double p) const {
  return sign * (weibull.quantile(p) - kTranslate + small_score);
}

TailFit fit_low(std::span<const double> data, std::size_t tail) {
  return fit_tail(data, tail, -1.0);
}

TailFit fit_high(std::span<const double> data, std::size_t tail) {
  return fit_tail(data, tail, 1.0);
}

}  // namespace tyto
