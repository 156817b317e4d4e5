// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/detection/curve.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

void expect_scores_and_kinds(std::span<const double> score,
                             std::span<const std::uint8_t> is_novel) {
  if (score.size() != is_novel.size()) {
    throw Error(ErrorKind::data, fmt::format("{} scores cannot be judged by the truth of {} rows",
                                             score.size(), is_novel.size()));
  }
  if (score.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorKind::data,
                fmt::format("{} scores are more than a curve can count", score.size()));
  }
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (std::isnan(score[i])) {
      throw Error(ErrorKind::data, fmt::format("the score of row {} is not a number", i + 1));
    }
  }
}

}  // namespace

DetectionCurve detection_curve(std::span<const double> score,
                               std::span<const std::uint8_t> is_novel) {
  expect_scores_and_kinds(score, is_novel);
  // The two kinds by themselves: plain numbers sort faster than numbers that carry their kind.
  std::vector<double> novel;
  std::vector<double> normal;
  for (std::size_t i = 0; i < score.size(); ++i) {
    (is_novel[i] != 0 ? novel : normal).push_back(score[i]);
  }
  std::sort(novel.begin(), novel.end(), std::greater<>());
  std::sort(normal.begin(), normal.end(), std::greater<>());
  DetectionCurve curve;
  curve.novel = std::ssize(novel);
  curve.normal = std::ssize(normal);
  curve.points.reserve(score.size());
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0, j = 0; i < novel.size() || j < normal.size();) {
    const double value =
        std::max(i < novel.size() ? novel[i] : kNone, j < normal.size() ? normal[j] : kNone);
    while (i < novel.size() && novel[i] == value) {
      ++i;
    }
    while (j < normal.size() && normal[j] == value) {
      ++j;
    }
    curve.points.push_back({value, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
  }
  return curve;
}

ResampledCurve::ResampledCurve(std::span<const double> score,
                               std::span<const std::uint8_t> is_novel)
    : from_(score.size()) {
  expect_scores_and_kinds(score, is_novel);
  std::iota(from_.begin(), from_.end(), std::size_t{0});
  std::stable_sort(from_.begin(), from_.end(),
                   [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
  for (const std::size_t row : from_) {
    score_.push_back(score[row]);
    is_novel_.push_back(is_novel[row]);
  }
}

DetectionCurve ResampledCurve::draw(std::span<const std::uint32_t> copies) const {
  TYTO_ASSERT(copies.size() == from_.size());
  DetectionCurve curve;
  DetectionCurve::Point now;
  for (std::size_t i = 0; i < from_.size(); ++i) {
    const std::uint32_t times = copies[from_[i]];
    if (times == 0) {
      continue;
    }
    if (curve.points.empty() || curve.points.back().threshold != score_[i]) {
      curve.points.push_back(now);
    }
    (is_novel_[i] != 0 ? now.novel : now.normal) += times;
    now.threshold = score_[i];
    curve.points.back() = now;
  }
  curve.novel = now.novel;
  curve.normal = now.normal;
  return curve;
}

ScoreTies score_ties(const DetectionCurve& curve) {
  ScoreTies ties;
  ties.distinct = std::ssize(curve.points);
  Index before = 0;
  for (const DetectionCurve::Point& point : curve.points) {
    const Index upto = Index{point.novel} + Index{point.normal};
    const Index here = upto - before;
    before = upto;
    ties.tied += here > 1 ? here : 0;
    if (here > ties.largest) {
      ties.largest = here;
      ties.largest_score = point.threshold;
    }
  }
  return ties;
}

double normal_weight(const DetectionCurve& curve, std::optional<double> prior) {
  if (!prior) {
    return 1.0;
  }
  if (!(*prior > 0.0 && *prior < 1.0)) {
    throw Error(
        ErrorKind::config,
        fmt::format("the share of novel samples is to lie between 0 and 1, but is {}", *prior));
  }
  if (curve.one_sided()) {
    return 1.0;  // no weight makes up for a kind that is not there
  }
  return (1.0 - *prior) / *prior * static_cast<double>(curve.novel) /
         static_cast<double>(curve.normal);
}

}  // namespace tyto
