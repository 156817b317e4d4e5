// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/student_t.hpp"

#include <cmath>
#include <limits>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

// Continued fraction of the incomplete beta function by Lentz's method (Numerical Recipes 6.4).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kRounds = 500;
  const auto apart = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1.0;
  double d = 1.0 / apart(1.0 - (a + b) * x / (a + 1.0));
  double fraction = d;
  for (int m = 1; m <= kRounds; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1.0 / apart(1.0 + even * d);
    c = apart(1.0 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1.0 / apart(1.0 + odd * d);
    c = apart(1.0 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1.0) < std::numeric_limits<double>::epsilon()) {
      break;
    }
  }
  return fraction;
}

// Regularised incomplete beta function.
double beta_share(double a, double b, double x) {
  if (x <= 0.0 || x >= 1.0) {
    return x <= 0.0 ? 0.0 : 1.0;
  }
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1.0) / (a + b + 2.0) ? front * beta_fraction(a, b, x) / a
                                       : 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

}  // namespace

double student_two_sided(double t, double degrees) {
  TYTO_ASSERT(degrees > 0.0);
  return beta_share(degrees / 2.0, 0.5, degrees / (degrees + t * t));
}

double student_quantile(double level, double degrees) {
  TYTO_ASSERT(level > 0.0 && level < 1.0);
  double high = 1.0;
  while (student_two_sided(high, degrees) > 1.0 - level) {
    high *= 2.0;
  }
  double low = 0.0;
  for (int round = 0; round < 200 && high - low > 1e-12 * high; ++round) {
    const double middle = (low + high) / 2.0;
    (student_two_sided(middle, degrees) > 1.0 - level ? low : high) = middle;
  }
  return (low + high) / 2.0;
}

}  // namespace tyto
