// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/detection/shown_curve.hpp"

#include <cmath>
#include <set>

#include "tyto/report/page/curve.hpp"

namespace tyto {

namespace {

std::vector<CurvePoint> roc_points(const DetectionCurve& curve) {
  std::vector<CurvePoint> points;
  points.reserve(curve.points.size());
  for (const DetectionCurve::Point& point : curve.points) {
    points.emplace_back(curve.false_alarm_rate(point), curve.recall(point));
  }
  return points;
}

// Above zero: b lies below the line from a to c.
double below_line(const CurvePoint& a, const CurvePoint& b, const CurvePoint& c) {
  return (c.second - a.second) * (b.first - a.first) - (b.second - a.second) * (c.first - a.first);
}

}  // namespace

std::vector<std::size_t> hull_places(const DetectionCurve& curve, std::size_t most) {
  if (curve.one_sided()) {
    return {};
  }
  const std::vector<CurvePoint> points = roc_points(curve);
  const CurvePoint silence{0.0, 0.0};
  std::vector<std::size_t> hull;
  for (std::size_t i = 0; i < points.size(); ++i) {
    while (!hull.empty() && below_line(hull.size() > 1 ? points[hull[hull.size() - 2]] : silence,
                                       points[hull.back()], points[i]) >= 0.0) {
      hull.pop_back();
    }
    hull.push_back(i);
  }
  std::vector<CurvePoint> corners;
  for (const std::size_t place : hull) {
    corners.push_back(points[place]);
  }
  std::vector<std::size_t> kept;
  for (const std::size_t corner : thinned_places(corners, most)) {
    kept.push_back(hull[corner]);
  }
  return kept;
}

std::vector<std::size_t> shown_places(const DetectionCurve& curve, std::size_t each) {
  if (curve.one_sided()) {
    return {};
  }
  std::vector<CurvePoint> rare = roc_points(curve);
  std::set<std::size_t> shown;
  const auto add = [&](const std::vector<std::size_t>& places) {
    shown.insert(places.begin(), places.end());
  };
  add(hull_places(curve, each));
  add(thinned_places(rare, each));
  const double least = 0.5 / static_cast<double>(curve.normal);
  for (CurvePoint& point : rare) {
    point.first = std::log10(std::max(point.first, least));
  }
  add(thinned_places(rare, each));
  std::vector<CurvePoint> precision;
  for (const DetectionCurve::Point& point : curve.points) {
    precision.emplace_back(curve.recall(point),
                           static_cast<double>(point.novel) / (static_cast<double>(point.novel) +
                                                               static_cast<double>(point.normal)));
  }
  add(thinned_places(precision, each));
  return {shown.begin(), shown.end()};
}

}  // namespace tyto
