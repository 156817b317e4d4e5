// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/folds.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;

std::vector<Index> codes_of(std::string_view letters) {
  return {letters.begin(), letters.end()};
}

// counts[fold][class letter]
std::vector<std::map<char, Index>> fold_counts(Rows classes, const std::vector<Index>& fold,
                                               Index folds) {
  std::vector<std::map<char, Index>> counts(static_cast<std::size_t>(folds));
  for (std::size_t i = 0; i < classes.size(); ++i) {
    ++counts[static_cast<std::size_t>(fold[i])][static_cast<char>(classes[i])];
  }
  return counts;
}

std::vector<Index> random_codes(Rng& rng, Index rows, Index codes) {
  std::vector<Index> out;
  for (Index i = 0; i < rows; ++i) {
    out.push_back(std::min(rng.below(codes), rng.below(codes)));
  }
  return out;
}

TEST(StratifiedFolds, allot_as_the_reference_vectors_do) {
  // a x7, b x3, c x5 in 3 folds: sorted positions 0-6 a, 7-9 b, 10-14 c. Fold 0 holds positions
  // 0 3 6 | 9 | 12, fold 1 holds 1 4 | 7 | 10 13, fold 2 holds 2 5 | 8 | 11 14.
  const auto first = codes_of("aaaaaaabbbccccc");
  auto counts = fold_counts(first, stratified_folds(first, 3), 3);
  EXPECT_EQ(counts[0], (std::map<char, Index>{{'a', 3}, {'b', 1}, {'c', 1}}));
  EXPECT_EQ(counts[1], (std::map<char, Index>{{'a', 2}, {'b', 1}, {'c', 2}}));
  EXPECT_EQ(counts[2], (std::map<char, Index>{{'a', 2}, {'b', 1}, {'c', 2}}));

  const auto second = codes_of("bacbacbacbacbacbacacc");  // b x6, a x7, c x8; b, a, c appear so
  counts = fold_counts(second, stratified_folds(second, 5), 5);
  EXPECT_EQ(counts[0], (std::map<char, Index>{{'b', 2}, {'a', 1}, {'c', 2}}));
  EXPECT_EQ(counts[1], (std::map<char, Index>{{'b', 1}, {'a', 2}, {'c', 1}}));
  EXPECT_EQ(counts[2], (std::map<char, Index>{{'b', 1}, {'a', 2}, {'c', 1}}));
  EXPECT_EQ(counts[3], (std::map<char, Index>{{'b', 1}, {'a', 1}, {'c', 2}}));
  EXPECT_EQ(counts[4], (std::map<char, Index>{{'b', 1}, {'a', 1}, {'c', 2}}));
}

TEST(StratifiedFolds, give_rows_in_order_fold_by_fold_without_a_shuffle) {
  // a at sorted positions 0-3 in 2 folds: two each, the first two rows of a to fold 0; b at 4-6:
  // positions 4 6 to fold 0, 5 to fold 1.
  EXPECT_THAT(stratified_folds(codes_of("abababa"), 2), ElementsAre(0, 0, 0, 0, 1, 1, 1));
}

TEST(StratifiedFolds, differ_by_one_row_per_class_and_in_total_whatever_the_shuffle) {
  Rng rng(3);
  for (int trial = 0; trial < 50; ++trial) {
    const auto classes = random_codes(rng, 1 + rng.below(200), 1 + rng.below(9));
    const Index folds = 1 + rng.below(7);
    Rng shuffle = rng.fork("shuffle", static_cast<std::uint64_t>(trial));
    const auto drawn = stratified_folds(classes, folds, &shuffle);
    EXPECT_EQ(fold_counts(classes, drawn, folds),
              fold_counts(classes, stratified_folds(classes, folds), folds));
    std::map<Index, std::vector<Index>> per_class;
    std::vector<Index> total(static_cast<std::size_t>(folds));
    for (std::size_t i = 0; i < classes.size(); ++i) {
      auto& counts = per_class[classes[i]];
      counts.resize(total.size());
      ++counts[static_cast<std::size_t>(drawn[i])];
      ++total[static_cast<std::size_t>(drawn[i])];
    }
    per_class[-1] = total;
    for (const auto& [code, counts] : per_class) {
      const auto [low, high] = std::minmax_element(counts.begin(), counts.end());
      EXPECT_LE(*high - *low, 1);
    }
  }
}

TEST(GroupFolds, follow_the_greedy_rule_of_a_worked_example) {
  // Groups by size: p (a x3), q (a x1 b x1), r (b x2) come in the order p, then q before r by
  // first appearance. Aims are 2 a and 1.5 b per part. p: both cost 3 (0 - 2), tie, part 0.
  // q: part 0 costs (3 - 2) + (0 - 1.5) = -0.5, part 1 costs -2 - 1.5 = -3.5, part 1.
  // r: part 0 costs 2 (0 - 1.5) = -3, part 1 costs 2 (1 - 1.5) = -1, part 0.
  const std::vector<double> halves{0.5, 0.5};
  EXPECT_THAT(group_folds(codes_of("aaaabbb"), codes_of("pppqqrr"), halves),
              ElementsAre(0, 0, 0, 1, 1, 0, 0));
}

TEST(GroupFolds, keep_groups_whole_fill_every_part_and_stay_near_the_shares) {
  Rng rng(4);
  for (int trial = 0; trial < 30; ++trial) {
    const Index rows = 300;
    const auto classes = random_codes(rng, rows, 4);
    const auto groups = random_codes(rng, rows, 60);
    const std::vector<double> shares{0.6, 0.0, 0.1, 0.3};
    Rng ties = rng.fork("ties", static_cast<std::uint64_t>(trial));
    const auto part = group_folds(classes, groups, shares, &ties);
    std::map<Index, std::set<Index>> parts_of_group;
    std::vector<double> size(shares.size());
    for (std::size_t i = 0; i < part.size(); ++i) {
      parts_of_group[groups[i]].insert(part[i]);
      size[static_cast<std::size_t>(part[i])] += 1.0 / static_cast<double>(rows);
    }
    for (const auto& [group, parts] : parts_of_group) {
      EXPECT_EQ(parts.size(), 1U);
    }
    for (std::size_t p = 0; p < shares.size(); ++p) {
      EXPECT_NEAR(size[p], shares[p], 0.05);
    }
  }
}

TEST(GroupFolds, fill_a_part_too_small_for_any_group) {
  const std::vector<double> shares{0.99, 0.01};
  EXPECT_THAT(group_folds(codes_of("aaaab"), codes_of("ppqqr"), shares),
              ElementsAre(0, 0, 0, 0, 1));
}

TEST(GroupFolds, refuse_fewer_groups_than_parts) {
  const std::vector<double> thirds{1.0 / 3, 1.0 / 3, 1.0 / 3};
  try {
    group_folds(codes_of("abab"), codes_of("ppqq"), thirds);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("2 groups cannot be kept whole in 3 parts"));
  }
}

TEST(StratifiedDraw, rounds_by_largest_remainder_and_leaves_single_rows) {
  // share 0.3: a x7 -> 2.1, b x5 -> 1.5, c x5 -> 1.5, d x1 left alone. Floors 2, 1, 1 of a total
  // of 5.1, rounded 5: one more for b, the first of the largest remainders.
  const auto classes = codes_of("aaaaaaabbbbbcccccd");
  Rng rng(1);
  const auto drawn = stratified_draw(classes, 0.3, rng);
  std::map<char, Index> counts;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    counts[static_cast<char>(classes[i])] += drawn[i] ? 1 : 0;
  }
  EXPECT_EQ(counts, (std::map<char, Index>{{'a', 2}, {'b', 2}, {'c', 1}, {'d', 0}}));
}

TEST(StratifiedDraw, leaves_a_row_of_each_pair_on_either_side) {
  const auto classes = codes_of("aabbccdd");
  for (const double share : {0.01, 0.99}) {
    Rng rng(1);
    const auto drawn = stratified_draw(classes, share, rng);
    for (std::size_t i = 0; i < classes.size(); i += 2) {
      EXPECT_NE(drawn[i], drawn[i + 1]);
    }
  }
}

TEST(StratifiedDraw, draws_none_or_all_at_the_ends) {
  const auto classes = codes_of("aab");
  Rng rng(1);
  EXPECT_THAT(stratified_draw(classes, 0, rng), ElementsAre(false, false, false));
  EXPECT_THAT(stratified_draw(classes, 1, rng), ElementsAre(true, true, true));
}

}  // namespace
}  // namespace tyto
