// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/curve.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tyto/core/random.hpp"
#include "tyto/measure/formulas/open_set.hpp"

namespace tyto {
namespace {

double area_below(const std::vector<CurvePoint>& points) {
  double area = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    area += (points[i].first - points[i - 1].first) * (points[i].second + points[i - 1].second) / 2;
  }
  return area;
}

// Scores of n samples, every third novel and scoring higher by `shift`; some tie.
NoveltyRanking drawn_ranking(Index n, double shift, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> score;
  std::vector<std::uint8_t> novel;
  std::vector<std::uint8_t> right;
  for (Index i = 0; i < n; ++i) {
    novel.push_back(i % 3 == 0 ? 1 : 0);
    right.push_back(rng.uniform() < 0.8 ? 1 : 0);
    const double drawn = rng.normal() + (i % 3 == 0 ? shift : 0.0);
    score.push_back(static_cast<float>(i % 2 == 0 ? drawn : std::round(drawn * 20) / 20));
  }
  return rank_novelty(score, novel, right);
}

TEST(Curves, have_the_areas_of_their_measures) {
  for (const double shift : {0.0, 0.5, 2.0, -1.0}) {
    const NoveltyRanking ranking = drawn_ranking(3000, shift, 3);
    EXPECT_NEAR(area_below(roc_curve(ranking)), *auroc(ranking), 1e-12);
    EXPECT_NEAR(area_below(oscr_curve(ranking)), *oscr(ranking), 1e-12);
    EXPECT_NEAR(area_below(precision_recall_curve(ranking)),
                *precision_recall_area(ranking, Positive::novel), 1e-12);
  }
}

TEST(Curves, are_empty_where_nothing_is_novel_or_nothing_known) {
  const std::vector<float> score{1, 2};
  for (const bool novel : {false, true}) {
    const NoveltyRanking ranking = rank_novelty(score, std::vector<std::uint8_t>(2, novel ? 1 : 0));
    EXPECT_TRUE(roc_curve(ranking).empty());
    EXPECT_TRUE(precision_recall_curve(ranking).empty());
    EXPECT_TRUE(oscr_curve(ranking).empty());
  }
}

TEST(Thinned, keeps_ends_order_and_area) {
  for (const Index n : {201, 500, 5000, 20000}) {
    for (const double shift : {0.0, 0.5, 2.0, 4.0, -1.0}) {
      const NoveltyRanking ranking = drawn_ranking(n, shift, static_cast<std::uint64_t>(n));
      for (const auto& curve :
           {roc_curve(ranking), precision_recall_curve(ranking), oscr_curve(ranking)}) {
        const auto few = thinned(curve, 200);
        EXPECT_LE(few.size(), 200U);
        EXPECT_EQ(few.front(), curve.front());
        EXPECT_EQ(few.back(), curve.back());
        EXPECT_NEAR(area_below(few), area_below(curve), 0.005) << n << " " << shift;
        std::size_t at = 0;  // a subsequence: no point is invented
        for (const CurvePoint& point : few) {
          while (at < curve.size() && curve[at] != point) {
            ++at;
          }
          ASSERT_LT(at++, curve.size());
        }
      }
    }
  }
}

TEST(Thinned, drops_points_on_a_straight_line_first) {
  // Corners at (0.5, 0) and (0.5, 1); the others lie between.
  std::vector<CurvePoint> curve;
  for (int i = 0; i <= 50; ++i) {
    curve.emplace_back(i / 100.0, 0.0);
  }
  for (int i = 1; i <= 50; ++i) {
    curve.emplace_back(0.5, i / 50.0);
  }
  for (int i = 1; i <= 50; ++i) {
    curve.emplace_back(0.5 + i / 100.0, 1.0);
  }
  const std::vector<CurvePoint> corners{{0, 0}, {0.5, 0}, {0.5, 1}, {1, 1}};
  EXPECT_EQ(thinned(curve, 4), corners);
}

TEST(Thinned, leaves_short_curves_alone) {
  const std::vector<CurvePoint> two{{0, 0}, {1, 1}};
  EXPECT_EQ(thinned(two, 1), two);
  EXPECT_EQ(thinned({}, 200), std::vector<CurvePoint>());
}

}  // namespace
}  // namespace tyto
