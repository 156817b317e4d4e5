// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/ranking.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "measure/golden.hpp"
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using Scores32 = std::vector<float>;
using Bits = std::vector<std::uint8_t>;

double pair_counting_auroc(const Scores32& score, const Bits& positive) {
  double right = 0, pairs = 0;
  for (std::size_t i = 0; i < score.size(); ++i) {
    for (std::size_t j = 0; j < score.size(); ++j) {
      if (positive[i] != 0 && positive[j] == 0) {
        pairs += 1;
        right += score[i] > score[j] ? 1.0 : score[i] == score[j] ? 0.5 : 0.0;
      }
    }
  }
  return right / pairs;
}

TEST(Auroc, of_a_hand_worked_ranking) {
  // Positives 3 and 1, negatives 2 and 0: of four pairs 1 < 2 alone is out of order.
  EXPECT_DOUBLE_EQ(*auroc(Scores32{3, 2, 1, 0}, Bits{1, 0, 1, 0}), 0.75);
}

TEST(Auroc, counts_a_tie_as_half) {
  EXPECT_DOUBLE_EQ(*auroc(Scores32{1, 1, 1}, Bits{1, 0, 0}), 0.5);
  EXPECT_DOUBLE_EQ(*auroc(Scores32{1, 1, 0}, Bits{1, 0, 0}), 0.75);
}

TEST(Auroc, is_missing_if_all_samples_are_of_one_kind) {
  EXPECT_FALSE(auroc(Scores32{1, 2}, Bits{1, 1}));
  EXPECT_FALSE(auroc(Scores32{1, 2}, Bits{0, 0}));
  EXPECT_FALSE(auroc(Scores32{}, Bits{}));
}

TEST(Auroc, ranks_infinities_and_refuses_what_is_not_a_number) {
  const float infinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(auroc(Scores32{infinite, 0, -infinite}, Bits{1, 0, 0}), 1.0);
  EXPECT_THROW(static_cast<void>(auroc(Scores32{1, std::nanf("")}, Bits{1, 0})), Error);
}

TEST(Auroc, refuses_scores_and_samples_of_different_number) {
  EXPECT_THROW(static_cast<void>(auroc(Scores32{1, 2}, Bits{1})), Error);
}

TEST(Auroc, equals_the_count_of_pairs_and_is_mirrored_by_negation) {
  Rng rng(1, "auroc");
  for (int trial = 0; trial < 30; ++trial) {
    const Index n = 2 + rng.below(120);
    const Index values = 1 + rng.below(20);  // few, so that there are ties
    Scores32 score, negated;
    Bits positive;
    for (Index i = 0; i < n; ++i) {
      positive.push_back(i < 2 ? static_cast<std::uint8_t>(i)
                               : static_cast<std::uint8_t>(rng.below(2)));
      score.push_back(static_cast<float>(rng.below(values) + positive.back()));
      negated.push_back(-score.back());
    }
    EXPECT_NEAR(*auroc(score, positive), pair_counting_auroc(score, positive), 1e-12);
    EXPECT_NEAR(*auroc(score, positive) + *auroc(negated, positive), 1.0, 1e-12);
  }
}

struct RandomScores {
  Scores32 score;
  Bits novel, right;
};

// Both kinds occur; few values, so that there are ties.
RandomScores random_scores(Rng& rng) {
  RandomScores made;
  const Index n = 2 + rng.below(100);
  const Index values = 1 + rng.below(30);
  const Index one_in = 1 + rng.below(6);
  for (Index i = 0; i < n; ++i) {
    made.novel.push_back(static_cast<std::uint8_t>(i < 2 ? i : rng.below(one_in) == 0));
    made.score.push_back(static_cast<float>(rng.below(values) + made.novel.back()) - 4.0F);
    made.right.push_back(static_cast<std::uint8_t>(made.novel.back() == 0 && rng.below(3) > 0));
  }
  return made;
}

struct Found {
  double recall = 0, precision = 1, false_rate = 0;
};

// One point per different score, the strictest threshold first, each counted over all samples.
std::vector<Found> naive_sweep(const RandomScores& drawn, Positive positive) {
  const float sign = positive == Positive::novel ? 1.0F : -1.0F;
  std::set<float, std::greater<>> thresholds;
  for (const float score : drawn.score) {
    thresholds.insert(sign * score);
  }
  std::vector<Found> points;
  for (const float threshold : thresholds) {
    double hits = 0, wrong = 0, positives = 0, others = 0;
    for (std::size_t i = 0; i < drawn.score.size(); ++i) {
      const bool wanted = (drawn.novel[i] != 0) == (positive == Positive::novel);
      (wanted ? positives : others) += 1;
      if (sign * drawn.score[i] >= threshold) {
        (wanted ? hits : wrong) += 1;
      }
    }
    points.push_back({hits / positives, hits / (hits + wrong), wrong / others});
  }
  return points;
}

TEST(NoveltyRanking, puts_equal_scores_into_one_group_and_keeps_who_is_right) {
  const NoveltyRanking ranking =
      rank_novelty(Scores32{0.0F, 2, -1, -0.0F, 2}, Bits{0, 1, 0, 1, 0}, Bits{1, 0, 0, 0, 1});
  ASSERT_EQ(ranking.groups.size(), 3u);  // -1, then 0 and -0, then 2
  EXPECT_EQ(ranking.groups[0].known, 1);
  EXPECT_EQ(ranking.groups[1].known, 1);
  EXPECT_EQ(ranking.groups[1].novel, 1);
  EXPECT_EQ(ranking.groups[1].right, 1);
  EXPECT_EQ(ranking.groups[2].right, 1);
  EXPECT_EQ(ranking.novel, 2);
  EXPECT_EQ(ranking.known, 3);
}

TEST(NoveltyRanking, names_the_score_that_is_not_a_number) {
  try {
    static_cast<void>(rank_novelty(Scores32{1, std::nanf("")}, Bits{1, 0}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_STREQ(error.what(), "the score of sample 1 is not a number");
  }
}

TEST(NoveltyRanking, of_one_kind_of_samples_has_no_measure) {
  for (const auto& novel : {Bits{1, 1}, Bits{0, 0}}) {
    const NoveltyRanking ranking = rank_novelty(Scores32{1, 2}, novel);
    EXPECT_FALSE(auroc(ranking));
    for (const Positive positive : {Positive::novel, Positive::known}) {
      EXPECT_FALSE(average_precision(ranking, positive));
      EXPECT_FALSE(precision_recall_area(ranking, positive));
      EXPECT_FALSE(fpr_at_95_tpr(ranking, positive));
    }
  }
}

TEST(AveragePrecision, of_a_hand_worked_ranking) {
  // Novel at ranks 1 and 3 of 4: (1/1 + 2/3) / 2. Known from the other end at ranks 1 and 3 too.
  const NoveltyRanking ranking = rank_novelty(Scores32{3, 2, 1, 0}, Bits{1, 0, 1, 0});
  EXPECT_DOUBLE_EQ(*average_precision(ranking, Positive::novel), 5.0 / 6.0);
  EXPECT_DOUBLE_EQ(*average_precision(ranking, Positive::known), 5.0 / 6.0);
  // Points (R, P): (0, 1), (1/2, 1), (1/2, 1/2), (1, 2/3): 1/2 + 1/2 (1/2 + 2/3) / 2
  EXPECT_DOUBLE_EQ(*precision_recall_area(ranking, Positive::novel), 0.5 + 7.0 / 24.0);
}

TEST(FprAt95Tpr, takes_the_first_threshold_that_finds_95_percent) {
  // 20 novel samples score 20 ... 1, known ones 1.5, 0.5 and 30. 19 of 20 are found at 2: 1 of 3.
  Scores32 score{1.5F, 0.5F, 30};
  Bits novel{0, 0, 0};
  for (int i = 20; i >= 1; --i) {
    score.push_back(static_cast<float>(i));
    novel.push_back(1);
  }
  const NoveltyRanking ranking = rank_novelty(score, novel);
  EXPECT_DOUBLE_EQ(*fpr_at_95_tpr(ranking, Positive::novel), 1.0 / 3.0);
  // All three known are needed: the last stands above every novel one.
  EXPECT_DOUBLE_EQ(*fpr_at_95_tpr(ranking, Positive::known), 1.0);
}

TEST(FprAt95Tpr, takes_or_leaves_tied_samples_together) {
  EXPECT_EQ(fpr_at_95_tpr(rank_novelty(Scores32{1, 1, 0}, Bits{1, 0, 0}), Positive::novel), 0.5);
  EXPECT_EQ(fpr_at_95_tpr(rank_novelty(Scores32{1, 1, 1}, Bits{1, 0, 0}), Positive::novel), 1.0);
}

TEST(NoveltyRanking, measures_equal_a_sweep_over_all_thresholds) {
  Rng rng(2, "ranking");
  for (int trial = 0; trial < 60; ++trial) {
    const RandomScores drawn = random_scores(rng);
    const NoveltyRanking ranking = rank_novelty(drawn.score, drawn.novel, drawn.right);
    for (const Positive positive : {Positive::novel, Positive::known}) {
      double steps = 0, lines = 0;
      Found last;
      std::optional<double> at_95;
      for (const Found& point : naive_sweep(drawn, positive)) {
        steps += (point.recall - last.recall) * point.precision;
        lines += (point.recall - last.recall) * (point.precision + last.precision) / 2;
        if (!at_95 && point.recall >= 0.95) {
          at_95 = point.false_rate;
        }
        last = point;
      }
      EXPECT_NEAR(*average_precision(ranking, positive), steps, 1e-12);
      EXPECT_NEAR(*precision_recall_area(ranking, positive), lines, 1e-12);
      EXPECT_NEAR(*fpr_at_95_tpr(ranking, positive), *at_95, 1e-12);
    }
  }
}

TEST(NoveltyRanking, measures_do_not_change_if_every_sample_comes_twice) {
  Rng rng(3, "ranking");
  for (int trial = 0; trial < 20; ++trial) {
    RandomScores drawn = random_scores(rng);
    const NoveltyRanking once = rank_novelty(drawn.score, drawn.novel);
    const RandomScores again = drawn;
    drawn.score.insert(drawn.score.end(), again.score.begin(), again.score.end());
    drawn.novel.insert(drawn.novel.end(), again.novel.begin(), again.novel.end());
    const NoveltyRanking twice = rank_novelty(drawn.score, drawn.novel);
    EXPECT_DOUBLE_EQ(*auroc(once), *auroc(twice));
    for (const Positive positive : {Positive::novel, Positive::known}) {
      EXPECT_NEAR(*average_precision(once, positive), *average_precision(twice, positive), 1e-12);
      EXPECT_DOUBLE_EQ(*fpr_at_95_tpr(once, positive), *fpr_at_95_tpr(twice, positive));
    }
  }
}

TEST(NoveltyRanking, measures_agree_with_scikit_learn) {
  const auto golden = golden_measures();
  ASSERT_GT(golden["rankings"].size(), 5u);
  for (const auto& example : golden["rankings"]) {
    const NoveltyRanking ranking =
        rank_novelty(example["score"].get<Scores32>(), example["positive"].get<Bits>());
    EXPECT_NEAR(*auroc(ranking), example["auroc"].get<double>(), 1e-10);
    for (const auto& [name, positive] :
         {std::pair("novel", Positive::novel), std::pair("known", Positive::known)}) {
      SCOPED_TRACE(name);
      const auto& side = example[name];
      EXPECT_NEAR(*average_precision(ranking, positive), side["average_precision"].get<double>(),
                  1e-10);
      EXPECT_NEAR(*precision_recall_area(ranking, positive), side["aupr"].get<double>(), 1e-10);
      EXPECT_NEAR(*fpr_at_95_tpr(ranking, positive), side["fpr_at_95_tpr"].get<double>(), 1e-10);
    }
  }
}

}  // namespace
}  // namespace tyto
