// SPDX-License-Identifier: Apache-2.0
// Curves over all thresholds of a novelty score, with as few points as show their shape.
#pragma once

#include <utility>
#include <vector>

#include "tyto/measure/formulas/ranking.hpp"

namespace tyto {

using CurvePoint = std::pair<double, double>;  // x, y

// All are empty where there are no novel samples or no known ones.
std::vector<CurvePoint> roc_curve(const NoveltyRanking& ranking);  // false alarms, detections
// Recall and precision of novel, the highest scores first, from (0, 1) on.
std::vector<CurvePoint> precision_recall_curve(const NoveltyRanking& ranking);
// Share of novel samples let in, share of known ones let in and named right.
std::vector<CurvePoint> oscr_curve(const NoveltyRanking& ranking);

// At most `most` of the points, ends included: the point that spans the smallest triangle with its
// neighbours goes first (Visvalingam and Whyatt 1993), ties to the earlier. O(n log n).
std::vector<CurvePoint> thinned(const std::vector<CurvePoint>& points, std::size_t most);
// The places of those points, ascending.
std::vector<std::size_t> thinned_places(const std::vector<CurvePoint>& points, std::size_t most);

}  // namespace tyto
