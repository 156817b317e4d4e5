// SPDX-License-Identifier: Apache-2.0
// Two-parameter Weibull distributions by maximum likelihood, and libMR's fits of a low or high
// tail.
#pragma once

#include <span>

namespace tyto {

// Steeper is a step for any purpose here; also the answer for values that are all equal, for which
// the likelihood has no maximum.
constexpr double kSteepestWeibull = 1e5;

struct Weibull {
  double scale = 1.0, shape = 1.0;

  [[nodiscard]] double cdf(double t) const;             // 1 - exp(-(t / scale)^shape), 0 below 0
  [[nodiscard]] double quantile(double p) const;        // its inverse, for p in [0, 1)
  [[nodiscard]] double log_hazard_sum(double t) const;  // shape ln(t / scale) = ln(-ln(1 - cdf))
};

// Most likely scale and shape for values >= 0, at least one of them. One value, or all equal: a
// step there. Zeros, whose likelihood is 0 or infinite, count as the smallest other value or as a
// millionth of the largest, whichever is less; where all are 0 the scale is the smallest positive
// number. O(n) per Newton step, of which 4 to 8 are taken: the root in ln(shape) of a monotone
// function, safeguarded by bisection.
Weibull fit_weibull(std::span<const double> values);

// The most extreme `tail` values as libMR fits them: t = sign x + 1 - small_score, so that the
// least extreme of them lies at 1. The constant 1 makes the fit depend on the scale of the data.
struct TailFit {
  Weibull weibull;
  double sign = 1.0;         // -1: low tail
  double small_score = 0.0;  // sign times the least extreme value of the tail

  [[nodiscard]] double w_score(double x) const;  // near 1: more extreme than the tail
  [[nodiscard]] double inverse(double p) const;  // the x with this score
};

// A tail larger than the data takes all of them. Error(data) where there are none.
TailFit fit_low(std::span<const double> data, std::size_t tail);
TailFit fit_high(std::span<const double> data, std::size_t tail);

}  // namespace tyto
