// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/curve.hpp"

#include <cmath>
#include <numeric>
#include <set>

namespace tyto {

namespace {

double share(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

double triangle(const CurvePoint& a, const CurvePoint& b, const CurvePoint& c) {
  return std::abs((b.first - a.first) * (c.second - a.second) -
                  (c.first - a.first) * (b.second - a.second)) /
         2.0;
}

}  // namespace

std::vector<CurvePoint> roc_curve(const NoveltyRanking& ranking) {
  if (ranking.one_sided()) {
    return {};
  }
  std::vector<CurvePoint> points{{0.0, 0.0}};
  std::int64_t known = 0;
  std::int64_t novel = 0;
  for (auto group = ranking.groups.rbegin(); group != ranking.groups.rend(); ++group) {
    known += group->known;
    novel += group->novel;
    points.emplace_back(share(known, ranking.known), share(novel, ranking.novel));
  }
  return points;
}

std::vector<CurvePoint> precision_recall_curve(const NoveltyRanking& ranking) {
  if (ranking.one_sided()) {
    return {};
  }
  std::vector<CurvePoint> points{{0.0, 1.0}};
  std::int64_t known = 0;
  std::int64_t novel = 0;
  for (auto group = ranking.groups.rbegin(); group != ranking.groups.rend(); ++group) {
    known += group->known;
    novel += group->novel;
    points.emplace_back(share(novel, ranking.novel), share(novel, novel + known));
  }
  return points;
}

std::vector<CurvePoint> oscr_curve(const NoveltyRanking& ranking) {
  if (ranking.one_sided()) {
    return {};
  }
  std::vector<CurvePoint> points{{0.0, 0.0}};
  std::int64_t right = 0;
  std::int64_t novel = 0;
  for (const NoveltyRanking::Group& group : ranking.groups) {
    right += group.right;
    novel += group.novel;
    points.emplace_back(share(novel, ranking.novel), share(right, ranking.known));
  }
  return points;
}

std::vector<CurvePoint> thinned(const std::vector<CurvePoint>& points, std::size_t most) {
  std::vector<CurvePoint> kept;
  for (const std::size_t place : thinned_places(points, most)) {
    kept.push_back(points[place]);
  }
  return kept;
}

std::vector<std::size_t> thinned_places(const std::vector<CurvePoint>& points, std::size_t most) {
  const std::size_t n = points.size();
  std::vector<std::size_t> kept;
  if (n <= most || n < 3) {
    kept.resize(n);
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    return kept;
  }
  std::vector<std::size_t> before(n);
  std::vector<std::size_t> after(n);
  std::vector<double> area(n);
  std::set<std::pair<double, std::size_t>> inner;  // by area, then place
  for (std::size_t i = 1; i + 1 < n; ++i) {
    before[i] = i - 1;
    after[i] = i + 1;
    area[i] = triangle(points[i - 1], points[i], points[i + 1]);
    inner.emplace(area[i], i);
  }
  after[0] = 1;
  before[n - 1] = n - 2;
  const auto update = [&](std::size_t i) {
    if (i == 0 || i == n - 1) {
      return;
    }
    inner.erase({area[i], i});
    area[i] = triangle(points[before[i]], points[i], points[after[i]]);
    inner.emplace(area[i], i);
  };
  while (inner.size() + 2 > most && !inner.empty()) {
    const std::size_t gone = inner.begin()->second;
    inner.erase(inner.begin());
    after[before[gone]] = after[gone];
    before[after[gone]] = before[gone];
    update(before[gone]);
    update(after[gone]);
  }
  for (std::size_t i = 0; i < n - 1; i = after[i]) {
    kept.push_back(i);
  }
  kept.push_back(n - 1);
  return kept;
}

}  // namespace tyto
