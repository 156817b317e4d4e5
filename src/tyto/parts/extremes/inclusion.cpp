// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/extremes/inclusion.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tyto {

namespace {

constexpr double kTranslate = 1.0;  // libMR's: the margin of the tail's last value lies at 1
constexpr double kShapeWithoutOthers = 2.0;
constexpr double kNearest = 1e-6;  // distances count as at least this share of the scale
constexpr double kBeyond = 1e5;    // pull at the edge of form libmr, negative
constexpr double kLargestExponent = 700.0;

double distance_of(double squared, InclusionForm form) {
  return form.cosine ? 0.5 * squared : std::sqrt(squared);
}

}  // namespace

Inclusion fit_inclusion(std::span<const float> tail, double multiplier, double spread,
                        InclusionForm form) {
  std::vector<double> margins;
  for (const float squared : tail) {
    if (std::isfinite(squared)) {
      margins.push_back(multiplier * distance_of(squared, form));
    }
  }
  if (margins.empty()) {
    return {{spread, kShapeWithoutOthers}, 0.0};
  }
  if (!form.libmr) {
    return {fit_weibull(margins), 0.0};
  }
  const TailFit fit = fit_low(margins, margins.size());
  return {fit.weibull, kTranslate - fit.small_score};
}

double pull(const Inclusion& inclusion, double squared, InclusionForm form) {
  const double distance = distance_of(squared, form);
  const Weibull& weibull = inclusion.weibull;
  if (!form.libmr) {
    return -weibull.log_hazard_sum(std::max(distance, kNearest * weibull.scale));
  }
  const double inside = inclusion.edge - distance;
  return inside > 0.0 ? std::max(weibull.log_hazard_sum(inside), -kBeyond)
                      : -kBeyond * (1.0 - inside / weibull.scale);
}

double strangeness(double pull, InclusionForm form) {
  if (!form.libmr) {
    return -pull;
  }
  const double hazard = std::exp(std::min(pull, 6.0));  // of the reversed tail
  if (hazard > 30.0) {
    return -hazard;  // -ln(1 - e^-h) = e^-h to the last digit
  }
  // psi = 1 - e^-h; for small h that is h itself.
  const double log_psi = pull < -30.0 ? pull : std::log(-std::expm1(-hazard));
  return std::log(-log_psi);
}

double mean_strangeness(std::span<const double> strange) {
  double outside = 0.0;  // mean of 1 - psi, exact where psi is nearly 1
  double largest = -std::exp(kLargestExponent);
  for (const double one : strange) {
    const double log_psi = -std::exp(std::min(one, kLargestExponent));
    outside -= std::expm1(log_psi);
    largest = std::max(largest, log_psi);
  }
  const auto count = static_cast<double>(strange.size());
  outside /= count;
  if (outside < 0.5) {
    return outside > 0.0 ? std::log(-std::log1p(-outside))
                         : *std::max_element(strange.begin(), strange.end());
  }
  double sum = 0.0;
  for (const double one : strange) {
    sum += std::exp(-std::exp(std::min(one, kLargestExponent)) - largest);
  }
  return std::log(-(largest + std::log(sum / count)));
}

double reach(const Inclusion& inclusion, double level, InclusionForm form) {
  const double distance = form.libmr ? inclusion.edge - inclusion.weibull.quantile(level)
                                     : inclusion.weibull.quantile(1.0 - level);
  if (distance < 0.0) {
    return -1.0;
  }
  return form.cosine ? 2.0 * distance : distance * distance;
}

}  // namespace tyto
