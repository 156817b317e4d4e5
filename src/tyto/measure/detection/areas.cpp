// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/detection/areas.hpp"

namespace tyto {

namespace {

// Sum over points of (novel samples more) * height(precision before, precision here), over all.
template <class Height>
std::optional<double> area_over_recall(const DetectionCurve& curve, double normal_weight,
                                       const Height& height) {
  if (curve.one_sided()) {
    return std::nullopt;
  }
  double sum = 0.0;
  double precision_before = 1.0;
  double novel_before = 0.0;
  for (const DetectionCurve::Point& point : curve.points) {
    const double novel = point.novel;
    const double precision = novel / (novel + normal_weight * point.normal);
    sum += (novel - novel_before) * height(precision_before, precision);
    precision_before = precision;
    novel_before = novel;
  }
  return sum / static_cast<double>(curve.novel);
}

}  // namespace

std::optional<double> auroc(const DetectionCurve& curve) {
  if (curve.one_sided()) {
    return std::nullopt;
  }
  // Twice the number of (novel, normal) pairs in order, so that a tie counts 1: exact.
  std::uint64_t ordered = 0;
  DetectionCurve::Point before;
  for (const DetectionCurve::Point& point : curve.points) {
    const std::uint64_t novel = point.novel - before.novel;
    const std::uint64_t below = static_cast<std::uint64_t>(curve.normal) - point.normal;
    ordered += novel * (2 * below + (point.normal - before.normal));
    before = point;
  }
  return static_cast<double>(ordered) /
         (2.0 * static_cast<double>(curve.novel) * static_cast<double>(curve.normal));
}

std::optional<double> precision_recall_trapezoids(const DetectionCurve& curve,
                                                  double normal_weight) {
  return area_over_recall(curve, normal_weight,
                          [](double before, double here) { return (before + here) / 2.0; });
}

std::optional<double> average_precision(const DetectionCurve& curve, double normal_weight) {
  return area_over_recall(curve, normal_weight, [](double, double here) { return here; });
}

}  // namespace tyto
