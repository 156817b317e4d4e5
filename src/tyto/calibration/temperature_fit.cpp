// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/temperature_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr double kLeastRelative = 1e-6;     // bounds of 1/T in units of 1 / typical score
constexpr double kGreatestRelative = 1e10;  // beyond: one class takes all in double
constexpr Index kMostPasses = 100;
constexpr double kLeastStep = 1e-13;              // of log(1/T)
constexpr Index kWorthSampling = Index{1} << 20;  // scores; above, a part of the rows leads the way
constexpr Index kStride = 16;

struct Moments {  // means over rows
  double slope = 0, curvature = 0;
};

// Softmax of a row at scale s: mean and variance of the scores below the row's highest.
template <class Row>
Moments row_moments(const Row& below, double s) {
  const auto weight = (below * s).exp().eval();
  const double sum = weight.sum();
  const double mean = (weight * below).sum() / sum;
  const double square = (weight * below * below).sum() / sum;
  return {mean, std::max(0.0, square - mean * mean)};
}

template <class T>
class ScaleProblem {
 public:
  using Table = Eigen::Ref<const Dense<T>>;
  using Row = Eigen::Array<double, 1, Eigen::Dynamic>;

  ScaleProblem(const Table& scores, std::span<const Index> truth, double smoothing, Index stride)
      : scores_(scores), stride_(stride), n_((scores.rows() + stride - 1) / stride) {
    const auto size = static_cast<std::size_t>(n_);
    highest_.resize(size);
    wanted_.resize(size);
    partial_.resize(size);
    slopes_.resize(size);
    curvatures_.resize(size);
    std::vector<double> even(size);
    std::vector<double> right(size);
    share_loop(n_, scores.cols(), [&](Index i) {
      const auto at = static_cast<std::size_t>(i);
      const Row row = scores_.row(i * stride_).template cast<double>();
      highest_[at] = row.maxCoeff();
      partial_[at] = row.minCoeff() > -std::numeric_limits<double>::infinity() ? 0 : 1;
      even[at] = below(i).mean();
      right[at] = row[truth[static_cast<std::size_t>(i * stride_)]] - highest_[at];
      wanted_[at] = (1.0 - smoothing) * right[at] + smoothing * even[at];
    });
    for (std::size_t i = 0; i < size; ++i) {
      if (!std::isfinite(right[i])) {
        throw Error(ErrorKind::data,
                    fmt::format("row {} (from 1): the true class has the score -inf, so its loss "
                                "is infinite at every temperature",
                                static_cast<Index>(i) * stride_ + 1));
      }
      slope_at_zero_ += (even[i] - wanted_[i]) / static_cast<double>(n_);
      typical_ -= even[i] / static_cast<double>(n_);
      always_right_ = always_right_ && wanted_[i] == 0.0;
    }
  }

  [[nodiscard]] bool is_flat() const { return typical_ == 0.0; }

  [[nodiscard]] bool always_right() const { return always_right_; }

  [[nodiscard]] bool misleads() const { return slope_at_zero_ >= 0.0; }

  [[nodiscard]] double typical() const { return typical_; }  // score below the highest

  Moments at(double s) {
    ++passes_;
    share_loop(n_, scores_.cols(), [&](Index i) {
      const auto place = static_cast<std::size_t>(i);
      const Moments row = row_moments(below(i), s);
      slopes_[place] = row.slope - wanted_[place];
      curvatures_[place] = row.curvature;
    });
    Moments sum;
    for (std::size_t i = 0; i < slopes_.size(); ++i) {
      sum.slope += slopes_[i];
      sum.curvature += curvatures_[i];
    }
    const auto n = static_cast<double>(n_);
    return {sum.slope / n, sum.curvature / n};
  }

  [[nodiscard]] Index passes() const { return passes_; }

 private:
  // Possible classes only, in order.
  [[nodiscard]] Row below(Index i) const {
    const auto at = static_cast<std::size_t>(i);
    Row row = scores_.row(i * stride_).template cast<double>();
    row -= highest_[at];
    if (partial_[at] != 0) {
      Index kept = 0;
      for (Index j = 0; j < row.size(); ++j) {
        if (std::isfinite(row[j])) {
          row[kept++] = row[j];
        }
      }
      row.conservativeResize(kept);
    }
    return row;
  }

  Table scores_;
  Index stride_, n_, passes_ = 0;
  std::vector<double> highest_, wanted_, slopes_, curvatures_;
  std::vector<std::uint8_t> partial_;  // has impossible classes
  double slope_at_zero_ = 0, typical_ = 0;
  bool always_right_ = true;
};

// Newton on u = log s, where the slope is flatter for large s; outside the bracket, or where it
// does not halve the slope, the middle of the bracket or four times as far.
template <class T>
TemperatureFit solve(ScaleProblem<T>& problem, double start, double tolerance) {
  TemperatureFit fit;
  double low = std::log(kLeastRelative / problem.typical());
  double high = std::log(kGreatestRelative / problem.typical());
  bool low_seen = false;
  bool high_seen = false;
  double u = std::clamp(std::log(start), low, high);
  double before = std::numeric_limits<double>::infinity();
  while (true) {
    const double s = std::exp(u);
    const Moments now = problem.at(s);
    fit.temperature = 1.0 / s;
    fit.slope = now.slope;
    fit.curvature = now.curvature;
    (now.slope < 0.0 ? low : high) = u;
    (now.slope < 0.0 ? low_seen : high_seen) = true;
    const double step =
        now.curvature > 0.0 ? -now.slope / (now.curvature * s) : std::copysign(2.0, -now.slope);
    if (std::abs(now.slope) <= tolerance * problem.typical() || std::abs(step) <= kLeastStep ||
        problem.passes() >= kMostPasses) {
      break;
    }
    const bool slow = std::abs(now.slope) > 0.5 * before;
    before = std::abs(now.slope);
    double next = u + std::clamp(step, -2.0, 2.0);
    if (low_seen && high_seen && (slow || !(next > low && next < high))) {
      next = 0.5 * (low + high);
    }
    next = std::clamp(next, low, high);
    if (next == u) {
      break;
    }
    u = next;
  }
  fit.low = std::exp(low);
  fit.high = std::exp(high);
  fit.passes = problem.passes();
  return fit;
}

}  // namespace

template <class T>
TemperatureFit fit_temperature(const Eigen::Ref<const Dense<T>>& scores,
                               std::span<const Index> truth, double smoothing) {
  TYTO_ASSERT(scores.rows() == static_cast<Index>(truth.size()));
  if (truth.empty()) {
    throw Error(ErrorKind::data, "a temperature cannot be fitted on no samples");
  }
  ScaleProblem<T> problem(scores, truth, smoothing, 1);
  TemperatureFit fit;
  if (problem.is_flat()) {
    fit.kind = TemperatureKind::flat;
    return fit;
  }
  if (problem.misleads()) {
    fit.kind = TemperatureKind::worse_than_even;
    fit.low = fit.high = kLeastRelative / problem.typical();
    fit.temperature = 1.0 / fit.low;
    return fit;
  }
  if (problem.always_right()) {
    fit = fit_temperature<T>(scores, truth, 1.0 / static_cast<double>(truth.size() + 1));
    fit.kind = TemperatureKind::all_right;
    return fit;
  }
  double start = 1.0 / problem.typical();
  if (scores.size() >= kWorthSampling) {
    ScaleProblem<T> some(scores, truth, smoothing, kStride);
    if (!some.is_flat() && !some.misleads() && !some.always_right()) {
      start = 1.0 / solve(some, start, 1e-4).temperature;
    }
  }
  return solve(problem, start, 1e-13);
}

template TemperatureFit fit_temperature<float>(const Eigen::Ref<const Dense<float>>&,
                                               std::span<const Index>, double);
template TemperatureFit fit_temperature<double>(const Eigen::Ref<const Dense<double>>&,
                                                std::span<const Index>, double);

std::vector<double> descend_temperature(const Eigen::Ref<const Dense<double>>& scores,
                                        std::span<const Index> truth, Index steps, double rate) {
  constexpr double kLeast = 1e-3;
  ScaleProblem<double> problem(scores, truth, 0.0, 1);
  std::vector<double> path{1.0};
  for (Index step = 0; step < steps; ++step) {
    const double temperature = path.back();
    const double by_inverse = problem.at(1.0 / temperature).slope;
    // d(1/T) / dT = -1 / T^2
    path.push_back(std::max(temperature + rate * by_inverse / (temperature * temperature), kLeast));
  }
  return path;
}

double fit_scale(const MatrixView& scores, std::span<const Index> truth, double smoothing) {
  constexpr double kLeast = 1e-4;
  constexpr double kGreatest = 1e4;
  const TemperatureFit fit = fit_temperature<float>(scores, truth, smoothing);
  return fit.kind == TemperatureKind::all_right
             ? kGreatest
             : std::clamp(1.0 / fit.temperature, kLeast, kGreatest);
}

}  // namespace tyto
