// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/detection/operating_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"

namespace tyto {

namespace {

using CurvePoint = DetectionCurve::Point;

// A weight of 3 P / N is rounded, and 0.8 must still be reached by 4 of 5.
constexpr double kRoundingOfPrecision = 1e-12;

double precision_of(const CurvePoint& point, double normal_weight) {
  const double novel = point.novel;
  return novel / (novel + normal_weight * point.normal);
}

OperatingPoint operating_point(const DetectionCurve& curve, const CurvePoint& at,
                               double normal_weight) {
  OperatingPoint point;
  point.threshold = at.threshold;
  point.novel_alarms = at.novel;
  point.false_alarms = at.normal;
  if (curve.novel > 0) {
    point.recall = curve.recall(at);
  }
  if (curve.normal > 0) {
    point.normal_kept = 1.0 - curve.false_alarm_rate(at);
  }
  point.precision = point.never() ? 1.0 : precision_of(at, normal_weight);
  return point;
}

void expect_share(double value, std::string_view what) {
  if (!(value > 0.0 && value <= 1.0)) {
    throw Error(ErrorKind::config,
                fmt::format("{} is to be above 0 and at most 1, but is {}", what, value));
  }
}

// Without the points between two others that lie on one line with equal steps, in both counts.
std::vector<CurvePoint> corners(const DetectionCurve& curve) {
  const auto bends = [](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return c - b != b - a;
  };
  std::vector<CurvePoint> kept;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    if (i == 0 || i + 1 == curve.points.size()) {
      kept.push_back(curve.points[i]);
      continue;
    }
    const CurvePoint& a = curve.points[i - 1];
    const CurvePoint& b = curve.points[i];
    const CurvePoint& c = curve.points[i + 1];
    if (bends(a.novel, b.novel, c.novel) || bends(a.normal, b.normal, c.normal)) {
      kept.push_back(b);
    }
  }
  return kept;
}

// Less precise: fewer novel alarms to a false one. In whole numbers, so that 1 of 3 is 2 of 6.
bool less_precise(const CurvePoint& a, const CurvePoint& b) {
  return std::uint64_t{a.novel} * b.normal < std::uint64_t{b.novel} * a.normal;
}

}  // namespace

ThresholdRule threshold_rule(std::string_view name) {
  const auto found = std::find(kThresholdRules.begin(), kThresholdRules.end(), name);
  if (found == kThresholdRules.end()) {
    const std::vector<std::string> names(kThresholdRules.begin(), kThresholdRules.end());
    throw unknown_name("rule of thresholds", name, names);
  }
  return static_cast<ThresholdRule>(found - kThresholdRules.begin());
}

OperatingPoint point_at(const DetectionCurve& curve, double threshold, double normal_weight) {
  const auto behind =
      std::partition_point(curve.points.begin(), curve.points.end(),
                           [&](const CurvePoint& p) { return p.threshold >= threshold; });
  CurvePoint at = behind == curve.points.begin() ? CurvePoint{} : *std::prev(behind);
  at.threshold = threshold;
  return operating_point(curve, at, normal_weight);
}

OperatingPoint point_of_silence(const DetectionCurve& curve, double normal_weight) {
  CurvePoint at;
  if (!curve.points.empty()) {
    const double greatest = curve.points.front().threshold;
    at.threshold = std::max(greatest + 1e-4,
                            std::nextafter(greatest, std::numeric_limits<double>::infinity()));
  }
  return operating_point(curve, at, normal_weight);
}

std::optional<OperatingPoint> at_recall(const DetectionCurve& curve, double target,
                                        ThresholdRule rule, double normal_weight) {
  expect_share(target, "the recall to be reached");
  if (curve.novel == 0) {
    return std::nullopt;
  }
  const auto first = [&](const std::vector<CurvePoint>& points) {
    return *std::find_if(points.begin(), points.end(),
                         [&](const CurvePoint& p) { return curve.recall(p) >= target; });
  };
  const CurvePoint at =
      rule == ThresholdRule::early2022 ? first(corners(curve)) : first(curve.points);
  return operating_point(curve, at, normal_weight);
}

std::optional<OperatingPoint> at_precision(const DetectionCurve& curve, double target,
                                           ThresholdRule rule, double normal_weight) {
  expect_share(target, "the precision to be reached");
  if (curve.one_sided()) {
    return std::nullopt;
  }
  const CurvePoint* best = nullptr;
  for (const CurvePoint& point : curve.points) {
    if (precision_of(point, normal_weight) < target - kRoundingOfPrecision) {
      continue;
    }
    const bool smallest = rule == ThresholdRule::paper;
    best = best == nullptr || !smallest || !less_precise(*best, point) ? &point : best;
  }
  if (best == nullptr) {
    return point_of_silence(curve, normal_weight);
  }
  if (rule == ThresholdRule::early2022) {
    const std::vector<CurvePoint> kept = corners(curve);
    const auto behind = std::partition_point(kept.begin(), kept.end(), [&](const CurvePoint& p) {
      return p.threshold >= best->threshold;
    });
    return operating_point(curve, *std::prev(behind), normal_weight);  // the first is always kept
  }
  return operating_point(curve, *best, normal_weight);
}

std::optional<OperatingPoint> at_false_alarm_rate(const DetectionCurve& curve, double rate,
                                                  double normal_weight) {
  expect_share(rate, "the rate of false alarms");
  if (curve.normal == 0) {
    return std::nullopt;
  }
  const auto behind =
      std::partition_point(curve.points.begin(), curve.points.end(),
                           [&](const CurvePoint& p) { return curve.false_alarm_rate(p) <= rate; });
  return behind == curve.points.begin() ? point_of_silence(curve, normal_weight)
                                        : operating_point(curve, *std::prev(behind), normal_weight);
}

Index normal_samples_needed(double rate) {
  expect_share(rate, "the rate of false alarms");
  return rate >= 0.95 ? 1 : static_cast<Index>(std::ceil(std::log(0.05) / std::log1p(-rate)));
}

}  // namespace tyto
