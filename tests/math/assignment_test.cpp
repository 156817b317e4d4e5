// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/assignment.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <numeric>

#include "support/places.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using Costs = Dense<std::int64_t>;
using testing::ElementsAre;

Costs random_costs(Rng& rng, Index rows, Index cols, Index values) {
  Costs costs(rows, cols);
  for (Index i = 0; i < costs.size(); ++i) {
    costs.data()[i] = rng.below(values) - values / 3;
  }
  return costs;
}

// Sum of the pairs, after a check that they are min(rows, cols) different ones.
std::int64_t checked_cost(const Costs& costs, const std::vector<Index>& column_of) {
  EXPECT_EQ(static_cast<Index>(column_of.size()), costs.rows());
  std::vector<bool> taken(static_cast<std::size_t>(costs.cols()), false);
  std::int64_t sum = 0;
  Index pairs = 0;
  for (std::size_t i = 0; i < column_of.size(); ++i) {
    if (column_of[i] >= 0) {
      EXPECT_FALSE(taken[static_cast<std::size_t>(column_of[i])]);
      taken[static_cast<std::size_t>(column_of[i])] = true;
      sum += costs(static_cast<Index>(i), column_of[i]);
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, std::min(costs.rows(), costs.cols()));
  return sum;
}

std::int64_t least_by_trying_all(const Costs& costs) {
  if (costs.rows() > costs.cols()) {
    return least_by_trying_all(costs.transpose());
  }
  std::vector<Index> order(static_cast<std::size_t>(costs.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  do {
    std::int64_t sum = 0;
    for (Index i = 0; i < costs.rows(); ++i) {
      sum += costs(i, order[static_cast<std::size_t>(i)]);
    }
    least = std::min(least, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

TEST(LeastCostPairs, of_a_hand_worked_matrix) {
  // Row 0 would like column 0 (1), but row 1 needs it more: 2 + 2 + 2 = 6 beats 1 + 9 + 2 = 12.
  Costs costs(3, 3);
  costs << 1, 2, 9, 2, 9, 9, 9, 3, 2;
  EXPECT_THAT(least_cost_pairs(costs), ElementsAre(1, 0, 2));
}

TEST(LeastCostPairs, leaves_rows_over_where_columns_are_fewer) {
  Costs costs(3, 1);
  costs << 5, 3, 4;
  EXPECT_THAT(least_cost_pairs(costs), ElementsAre(-1, 0, -1));
}

TEST(LeastCostPairs, takes_matrices_without_rows_or_columns) {
  EXPECT_TRUE(least_cost_pairs(Costs(0, 0)).empty());
  EXPECT_TRUE(least_cost_pairs(Costs(0, 3)).empty());
  EXPECT_THAT(least_cost_pairs(Costs(2, 0)), ElementsAre(-1, -1));
}

TEST(LeastCostPairs, equals_the_best_of_all_permutations) {
  Rng rng(1, "assignment");
  for (int trial = 0; trial < 600; ++trial) {
    const Index values = trial % 3 == 0 ? 3 : 1000;  // few, so that there are ties
    const Costs costs = random_costs(rng, 1 + rng.below(6), 1 + rng.below(6), values);
    EXPECT_EQ(checked_cost(costs, least_cost_pairs(costs)), least_by_trying_all(costs)) << costs;
    const Dense<std::int32_t> small = costs.cast<std::int32_t>();
    EXPECT_EQ(least_cost_pairs_of_small(small), least_cost_pairs(costs));
  }
}

TEST(LeastCostPairs, is_the_diagonal_of_equal_costs) {
  EXPECT_THAT(least_cost_pairs(Costs::Zero(3, 4)), ElementsAre(0, 1, 2));
}

TEST(LeastCostPairs, does_not_depend_on_what_is_added_to_a_row) {
  Rng rng(2, "assignment");
  for (int trial = 0; trial < 20; ++trial) {
    const Costs costs = random_costs(rng, 30, 30 + rng.below(10), 40);
    Costs moved = costs;
    moved.row(7).array() += 1000;
    EXPECT_EQ(checked_cost(costs, least_cost_pairs(costs)) + 1000,
              checked_cost(moved, least_cost_pairs(moved)));
    EXPECT_EQ(checked_cost(costs, least_cost_pairs(costs)),
              checked_cost(costs.transpose(), least_cost_pairs(costs.transpose())));
  }
}

TEST(LeastCostPairs, agrees_with_scipy) {
  std::ifstream file(testing_support::in_tree("/tests/golden/measures.json"));
  ASSERT_TRUE(file) << "tests/golden/measures.json is part of the sources";
  const auto golden = nlohmann::json::parse(file);
  ASSERT_GT(golden["assignments"].size(), 5u);
  for (const auto& example : golden["assignments"]) {
    const auto rows = example["cost"].get<std::vector<std::vector<std::int64_t>>>();
    Costs costs(static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()));
    for (Index i = 0; i < costs.rows(); ++i) {
      for (Index j = 0; j < costs.cols(); ++j) {
        costs(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      }
    }
    EXPECT_EQ(checked_cost(costs, least_cost_pairs(costs)), example["least"].get<std::int64_t>());
  }
}

}  // namespace
}  // namespace tyto
