// SPDX-License-Identifier: Apache-2.0
// Every trade between alarms on what is new and on what is not: a point for each score there is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

// An alarm is raised where score >= threshold, so samples of one score are taken or left together.
struct DetectionCurve {
  struct Point {
    double threshold = 0;
    std::uint32_t novel = 0, normal = 0;  // alarms on either kind
  };

  std::vector<Point> points;  // from the strictest threshold on, one for each distinct score
  Index novel = 0, normal = 0;

  // Nothing can be told from nothing.
  [[nodiscard]] bool one_sided() const { return novel == 0 || normal == 0; }

  // Of at least one novel, or normal, sample.
  [[nodiscard]] double recall(const Point& point) const {
    return static_cast<double>(point.novel) / static_cast<double>(novel);
  }

  [[nodiscard]] double false_alarm_rate(const Point& point) const {
    return static_cast<double>(point.normal) / static_cast<double>(normal);
  }
};

// One sort, O(n log n). Throws Error(data) naming the row (from 1) of a score that is not a number;
// infinities are ranked.
DetectionCurve detection_curve(std::span<const double> score,
                               std::span<const std::uint8_t> is_novel);

// The same of samples drawn anew: each counts as often as `copies` says. Sorts once for all draws.
class ResampledCurve {
 public:
  ResampledCurve(std::span<const double> score, std::span<const std::uint8_t> is_novel);

  [[nodiscard]] DetectionCurve draw(std::span<const std::uint32_t> copies) const;

 private:
  std::vector<double> score_;           // sorted, the greatest first
  std::vector<std::uint8_t> is_novel_;  // in that order
  std::vector<std::size_t> from_;       // the row each was
};

struct ScoreTies {
  Index distinct = 0;        // scores
  Index tied = 0;            // samples that share theirs with another
  Index largest = 0;         // samples of the commonest score
  double largest_score = 0;  // the first of these, from the greatest
};

ScoreTies score_ties(const DetectionCurve& curve);

// What a normal sample weighs, a novel one weighing 1, so that novel ones make up `prior` of the
// weight: (1 - prior) / prior * novel / normal. 1 without a prior: the sample as it is. Throws
// Error(config) for a prior that is not between 0 and 1.
double normal_weight(const DetectionCurve& curve, std::optional<double> prior);

}  // namespace tyto
