// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/detection/costs.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

void expect_frequency(double frequency) {
  if (!(frequency >= 0.0 && frequency <= 1.0)) {
    throw Error(ErrorKind::config,
                fmt::format("the frequency of novel samples is to lie between 0 and 1, but is {}",
                            frequency));
  }
}

struct Rates {
  double miss = 1, false_alarm = 0, threshold = 0;
};

// Silence, then all points: from the fewest alarms to the most.
template <class Visit>
void for_each_rate(const DetectionCurve& curve, const Visit& visit) {
  visit(Rates{1.0, 0.0, point_of_silence(curve, 1.0).threshold});
  for (const DetectionCurve::Point& point : curve.points) {
    visit(Rates{1.0 - curve.recall(point), curve.false_alarm_rate(point), point.threshold});
  }
}

// Above zero: b lies above the line from a to c, where miss is drawn over false alarms, so that a
// mixture of a and c is never dearer.
double above_line(const Rates& a, const Rates& b, const Rates& c) {
  return (b.miss - a.miss) * (c.false_alarm - a.false_alarm) -
         (c.miss - a.miss) * (b.false_alarm - a.false_alarm);
}

}  // namespace

void DetectionCosts::check() const {
  expect_frequency(frequency);
  if (!(miss >= 0.0 && false_alarm >= 0.0 && miss + false_alarm > 0.0 &&
        std::isfinite(miss + false_alarm))) {
    throw Error(ErrorKind::config,
                fmt::format("the costs of a miss and of a false alarm are to be numbers of 0 or "
                            "more, not both 0, but are {} and {}",
                            miss, false_alarm));
  }
}

double expected_cost(const OperatingPoint& point, const DetectionCosts& costs) {
  return costs.frequency * (1.0 - point.recall.value_or(0.0)) * costs.miss +
         (1.0 - costs.frequency) * (1.0 - point.normal_kept.value_or(1.0)) * costs.false_alarm;
}

double cost_without_detector(const DetectionCosts& costs) {
  return std::min(costs.frequency * costs.miss, (1.0 - costs.frequency) * costs.false_alarm);
}

std::optional<OperatingPoint> at_least_cost(const DetectionCurve& curve,
                                            const DetectionCosts& costs, double normal_weight) {
  costs.check();
  if (curve.one_sided()) {
    return std::nullopt;
  }
  const double of_miss = costs.frequency * costs.miss;
  const double of_alarm = (1.0 - costs.frequency) * costs.false_alarm;
  Rates best;
  double least = of_miss;  // of silence
  for_each_rate(curve, [&](const Rates& at) {
    const double cost = of_miss * at.miss + of_alarm * at.false_alarm;
    // A rounding must not make a laxer threshold the cheaper of two that are equal.
    if (cost < least * (1.0 - 1e-12)) {
      least = cost;
      best = at;
    }
  });
  return least == of_miss ? point_of_silence(curve, normal_weight)
                          : point_at(curve, best.threshold, normal_weight);
}

std::vector<CostCurvePoint> cost_curve(const DetectionCurve& curve, Index steps) {
  TYTO_ASSERT(steps > 0);
  std::vector<CostCurvePoint> out;
  if (curve.one_sided()) {
    return out;
  }
  std::vector<Rates> hull;
  for_each_rate(curve, [&](const Rates& at) {
    while (hull.size() > 1 && above_line(hull[hull.size() - 2], hull.back(), at) >= 0.0) {
      hull.pop_back();
    }
    hull.push_back(at);
  });
  // The dearer a miss, the more alarms: the cheapest corner only moves on.
  std::size_t at = 0;
  for (Index step = 0; step <= steps; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(steps);
    const auto cost = [&](std::size_t i) {
      return share * hull[i].miss + (1.0 - share) * hull[i].false_alarm;
    };
    while (at + 1 < hull.size() && cost(at + 1) < cost(at)) {
      ++at;
    }
    out.push_back({share, cost(at), hull[at].threshold});
  }
  return out;
}

void AlarmBudget::check() const {
  expect_frequency(frequency);
  if (!(alarms_per_day >= 0.0 && frames_per_day > 0.0 && std::isfinite(alarms_per_day) &&
        std::isfinite(frames_per_day))) {
    throw Error(ErrorKind::config,
                fmt::format("a budget needs 0 or more alarms of more than 0 frames a day, but has "
                            "{} alarms and {} frames",
                            alarms_per_day, frames_per_day));
  }
}

double alarms_expected(const OperatingPoint& point, const AlarmBudget& budget) {
  return budget.frames_per_day *
         (budget.frequency * point.recall.value_or(0.0) +
          (1.0 - budget.frequency) * (1.0 - point.normal_kept.value_or(1.0)));
}

std::optional<OperatingPoint> within_budget(const DetectionCurve& curve, const AlarmBudget& budget,
                                            double normal_weight) {
  budget.check();
  if (curve.one_sided()) {
    return std::nullopt;
  }
  const double most = budget.alarms_per_day * (1.0 + 1e-12);
  const auto behind = std::partition_point(
      curve.points.begin(), curve.points.end(), [&](const DetectionCurve::Point& point) {
        return budget.frames_per_day * (budget.frequency * curve.recall(point) +
                                        (1.0 - budget.frequency) * curve.false_alarm_rate(point)) <=
               most;
      });
  return behind == curve.points.begin()
             ? point_of_silence(curve, normal_weight)
             : point_at(curve, std::prev(behind)->threshold, normal_weight);
}

}  // namespace tyto
