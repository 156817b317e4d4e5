// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/ranking.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

TEST(Auroc, agrees_with_scikit_learn) {
  std::ifstream file(TYTO_SOURCE_DIR "/tests/golden/measures.json");
  ASSERT_TRUE(file) << "tests/golden/measures.json is part of the sources";
  const auto golden = nlohmann::json::parse(file);
  ASSERT_GT(golden["rankings"].size(), 2u);
  for (const auto& example : golden["rankings"]) {
    EXPECT_NEAR(*auroc(example["score"].get<Scores32>(), example["positive"].get<Bits>()),
                example["auroc"].get<double>(), 1e-10);
  }
}

}  // namespace
}  // namespace tyto
