// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <set>

#include "parts/toy_experience.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/math/distances.hpp"
#include "tyto/parts/feedback/farthest_first.hpp"
#include "tyto/parts/feedback/prob_cover.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

std::vector<Index> asked(std::string_view name, std::string_view yaml, const Evidence& batch,
                         Index budget, std::uint64_t seed = 1) {
  ToyWork work(seed);
  return make_part<Requester>(Slot::feedback, name, yaml)->order(batch, budget, work);
}

// Beliefs over two classes, membership of two groups and a catch-all, novelty decided.
Evidence rich_evidence(const Matrix& features, std::uint64_t seed) {
  Evidence evidence = toy_evidence(features);
  const Index n = features.rows();
  Rng rng(seed, "rich");
  evidence.classes = toy_labels({1, 2});
  evidence.groups = toy_labels({3, 4, 0});
  evidence.probability.resize(n, 2);
  evidence.membership.resize(n, 3);
  for (Index i = 0; i < n; ++i) {
    evidence.probability(i, 0) = static_cast<float>(rng.uniform());
    evidence.probability(i, 1) = 1.0F - evidence.probability(i, 0);
    for (Index g = 0; g < 3; ++g) {
      evidence.membership(i, g) = static_cast<float>(rng.normal());
    }
    evidence.novel.push_back(rng.uniform() < 0.5 ? 1 : 0);
    evidence.novelty.push_back(static_cast<float>(rng.uniform()));
  }
  return evidence;
}

Matrix column_of(const std::vector<float>& values) {
  return Eigen::Map<const Matrix>(values.data(), static_cast<Index>(values.size()), 1);
}

struct NamedOrder {
  const char *name, *yaml;
};

constexpr NamedOrder kOrders[] = {
    {"typiclust", "{}"},
    {"typiclust", "{clusters: 3, form: released}"},
    {"badge", "{}"},
    {"badge", "{greedy: 4}"},
    {"coverage", "{}"},
    {"coverage", "{rule: k_center}"},
    {"coverage", "{rule: k_center, greedy: 3}"},
    {"discovered_first", "{}"},
    {"discovered_first", "{then: {name: badge, greedy: 7}, spread: 1}"},
    {"mixture", "{}"},
    {"mixture", "{strategies: [discovered_first, {name: random, share: 3}]}"}};

TEST(NewRequesters, keep_the_budget_and_name_no_row_twice) {
  for (const NamedOrder& one : kOrders) {
    for (const Index n : {1, 2, 7, 40}) {
      for (const bool equal : {false, true}) {
        const Matrix features = equal ? Matrix::Constant(n, 3, 2.0F) : random_rows(n, 3, 5);
        const Evidence batch = rich_evidence(features, 3);
        for (const Index budget : {Index{0}, Index{1}, n / 2, n, n + 5}) {
          const auto order = asked(one.name, one.yaml, batch, budget);
          const std::set<Index> unique(order.begin(), order.end());
          EXPECT_EQ(unique.size(), order.size()) << one.name << one.yaml << n;
          EXPECT_GE(std::ssize(order), std::min(budget, n)) << one.name << one.yaml << n;
          for (const Index row : order) {
            EXPECT_TRUE(row >= 0 && row < n);
          }
          EXPECT_EQ(order, asked(one.name, one.yaml, batch, budget));
        }
      }
    }
    EXPECT_TRUE(asked(one.name, one.yaml, Evidence(), 3).empty()) << one.name;
  }
}

TEST(NewRequesters, give_the_same_order_without_what_they_drop) {
  for (const NamedOrder& one : kOrders) {
    const Evidence batch = rich_evidence(random_rows(30, 4, 8), 2);
    Evidence spare = batch;
    spare.logits = Matrix::Ones(30, 2);
    const auto part = make_part<Requester>(Slot::feedback, one.name, one.yaml);
    part->drop_unused(spare);
    EXPECT_EQ(spare.logits.size(), 0) << one.name;
    EXPECT_EQ(asked(one.name, one.yaml, spare, 12), asked(one.name, one.yaml, batch, 12))
        << one.name;
  }
}

TEST(FarthestFirst, takes_the_row_furthest_from_all_before_it) {
  // Mean of 0 1 2 9 is 3, nearest to it is 2. Then 9 (7 away), 0 (2 away), 1.
  EXPECT_EQ(farthest_first(column_of({0, 1, 2, 9}), {}, 4), (std::vector<Index>{2, 3, 0, 1}));
  // With labelled samples at distance 1, 0, 1, 8 (squared 1, 0, 1, 64): 9 first; then 0 and 2 tie.
  Vector labelled(4);
  labelled << 1, 0, 1, 64;
  EXPECT_EQ(farthest_first(column_of({0, 1, 2, 9}), labelled, 4), (std::vector<Index>{3, 0, 2, 1}));
}

TEST(FarthestFirst, equals_the_plain_greedy_k_centre) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Matrix rows = random_rows(60, 3, seed);
    std::vector<Index> expected{medoid(rows)};
    while (expected.size() < 60) {
      Index best = -1;
      float far = -1;
      for (Index i = 0; i < 60; ++i) {
        if (std::find(expected.begin(), expected.end(), i) != expected.end()) {
          continue;
        }
        float near = std::numeric_limits<float>::infinity();
        for (const Index j : expected) {
          near = std::min(near, squared_distance(&rows(i, 0), &rows(j, 0), 3));
        }
        if (near > far) {
          far = near;
          best = i;
        }
      }
      expected.push_back(best);
    }
    EXPECT_EQ(farthest_first(rows, {}, 60), expected);
    EXPECT_EQ(asked("coverage", "{rule: k_center}", toy_evidence(rows), 60), expected);
  }
}

TEST(PureRadius, is_the_largest_with_enough_pure_balls) {
  // Groups {0, 1, 2, 3} and {10, 11}: the nearest of the other group is 10 9 8 7 and 7 8 away.
  // All six balls are pure below 7; five of six would need a radius below 7 as well, since two
  // reach it at 7; four of six are pure below 8.
  const Matrix rows = column_of({0, 1, 2, 3, 10, 11});
  const std::vector<std::int32_t> group{0, 0, 0, 0, 1, 1};
  const std::vector<Index> judges{0, 1, 2, 3, 4, 5};
  EXPECT_EQ(pure_radius(rows, group, judges, 1.0), 49.0F);
  EXPECT_EQ(pure_radius(rows, group, judges, 5.0 / 6), 49.0F);
  EXPECT_EQ(pure_radius(rows, group, judges, 4.0 / 6), 64.0F);
  const std::vector<std::int32_t> one(6, 0);
  EXPECT_TRUE(std::isinf(pure_radius(rows, one, judges, 0.95)));
}

// As the paper says it: the whole graph, then the row of highest out-degree, its ball removed.
std::vector<Index> plain_cover(const Matrix& rows, float radius, std::vector<bool> covered,
                               Index picks) {
  const Index n = rows.rows();
  covered.resize(static_cast<std::size_t>(n), false);
  std::vector<bool> taken(static_cast<std::size_t>(n), false);
  const auto within = [&](Index i, Index j) {
    return i == j || squared_distance(&rows(i, 0), &rows(j, 0), rows.cols()) < radius;
  };
  std::vector<Index> order;
  while (std::ssize(order) < std::min(picks, n)) {
    Index best = -1;
    Index most = 0;
    for (Index i = 0; i < n; ++i) {
      Index gain = 0;
      for (Index j = 0; j < n; ++j) {
        gain += !covered[static_cast<std::size_t>(j)] && within(i, j) ? 1 : 0;
      }
      if (!taken[static_cast<std::size_t>(i)] && gain > most) {
        most = gain;
        best = i;
      }
    }
    if (best < 0) {
      covered = taken;
      continue;
    }
    taken[static_cast<std::size_t>(best)] = true;
    order.push_back(best);
    for (Index j = 0; j < n; ++j) {
      if (within(best, j)) {
        covered[static_cast<std::size_t>(j)] = true;
      }
    }
  }
  return order;
}

TEST(ProbCover, equals_the_plain_greedy_cover) {
  Progress silent;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Matrix rows = random_rows(70, 2, seed);
    const float radius = 0.05F + 0.3F * static_cast<float>(seed);
    std::vector<bool> covered(70, false);
    for (std::size_t i = 0; seed % 2 == 1 && i < 20; ++i) {
      covered[i] = true;
    }
    EXPECT_EQ(cover_greedily(rows, radius, covered, 70, silent),
              plain_cover(rows, radius, covered, 70))
        << seed;
  }
}

TEST(ProbCover, decides_ties_of_the_radius_exactly) {
  // Whole numbers far from 0: a distance of exactly 1 is not within the open ball of radius 1.
  Progress silent;
  Matrix rows(6, 2);
  rows << 1000, 1000, 1000, 1001, 1000, 1002, 1001, 1001, 999, 1001, 1001, 1000;
  EXPECT_EQ(cover_greedily(rows, 1.0F, {}, 6, silent), (std::vector<Index>{0, 1, 2, 3, 4, 5}));
  // With 1 inside, row 1 covers itself, 0, 2, 3 and 4; row 5 is left.
  const auto order = cover_greedily(rows, 1.01F, {}, 2, silent);
  EXPECT_EQ(order.front(), 1);
  EXPECT_EQ(order, plain_cover(rows, 1.01F, {}, 2));
}

TEST(Typiclust, takes_the_most_typical_of_each_cluster_the_largest_first) {
  // Clusters of 6 and 7 rows, so 3 neighbours count. In the larger one 101 has 1 + 1 + 2, and so
  // have 102, 103 and 104, which come later; 100 has 1 + 2 + 3. In the smaller one 1 has 1 + 1 + 2.
  const Matrix rows = column_of({0, 1, 2, 3, 4, 9, 100, 101, 102, 103, 104, 105, 107});
  const auto order = asked("typiclust", "{}", toy_evidence(rows), 2);
  EXPECT_EQ(order[0], 7);
  EXPECT_EQ(order[1], 1);
}

TEST(Typiclust, counts_plain_or_squared_distances) {
  const Matrix apart = column_of({0, 5, 10, 30, 31, 50, 51});
  // 3 neighbours. Plain: 5: 5 + 5 + 25 = 35, 10: 5 + 10 + 20 = 35, 30: 1 + 20 + 20 = 41,
  // 31: 1 + 19 + 20 = 40. Squared: 5: 675, 10: 25 + 100 + 400 = 525, 30: 801, 31: 762.
  EXPECT_EQ(asked("typiclust", "{}", toy_evidence(apart), 1).front(), 1);
  EXPECT_EQ(asked("typiclust", "{form: released}", toy_evidence(apart), 1).front(), 2);
}

TEST(Typiclust, leaves_small_clusters_for_the_end) {
  std::vector<float> values;
  for (int i = 0; i < 10; ++i) {
    values.push_back(static_cast<float>(i) * 0.1F);
  }
  values.insert(values.end(), {500, 501});  // a cluster of two
  const auto order = asked("typiclust", "{clusters: 2}", toy_evidence(column_of(values)), 12);
  EXPECT_EQ((std::set<Index>{order[10], order[11]}), (std::set<Index>{10, 11}));
  const auto eager =
      asked("typiclust", "{clusters: 2, small: 0}", toy_evidence(column_of(values)), 12);
  EXPECT_GE(eager[1], 10);
}

TEST(Badge, begins_with_the_largest_gradient_and_avoids_its_like) {
  // |a|^2 = 2 (1 - p)^2 for two classes. Rows 0 and 1 are equal and the least sure (p = 0.5, z =
  // 3): norm 0.5 * 9. Row 2 is as unsure with z = -2, row 3 is certain: gradient 0.
  Evidence batch = toy_evidence(column_of({3, 3, -2, 1}));
  batch.classes = toy_labels({1, 2});
  batch.probability.resize(4, 2);
  batch.probability << 0.5F, 0.5F, 0.5F, 0.5F, 0.5F, 0.5F, 1.0F, 0.0F;
  std::map<Index, int> second;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto order = asked("badge", "{}", batch, 2, seed);
    ASSERT_EQ(order[0], 0);
    ++second[order[1]];
  }
  // Squared distances to row 0: row 1: 0; row 2: a is the same, z differs by 5: 0.5 * 25 = 12.5;
  // row 3: 4.5. So row 2 is drawn with probability 12.5 / 17 = 0.735, 294 of 400 (sd 8.8).
  EXPECT_EQ(second.count(1), 0U);
  EXPECT_NEAR(second[2], 294, 4 * 8.8);
}

TEST(Badge, prefers_the_embedding_to_the_features) {
  Evidence batch = toy_evidence(column_of({1, 9}));
  batch.classes = toy_labels({1, 2});
  batch.probability = Matrix::Constant(2, 2, 0.5F);
  EXPECT_EQ(asked("badge", "{}", batch, 1).front(), 1);
  batch.embedding = column_of({9, 1});
  EXPECT_EQ(asked("badge", "{}", batch, 1).front(), 0);
}

Evidence three_groups() {
  // Novel: rows 0-6. Group A: rows 0 1 2 at 0 1 5, mean 2, medoid row 1. Group B: rows 3 4 at 20
  // 22: both 1 from the mean, the lower row. Without a group: rows 5 6 at 50 60. Known: rows 7 8.
  Evidence batch = toy_evidence(column_of({0, 1, 5, 20, 22, 50, 60, 0, 1}));
  batch.novel = {1, 1, 1, 1, 1, 1, 1, 0, 0};
  batch.groups = toy_labels({5, 0, 4});
  batch.membership = Matrix::Constant(9, 3, -1.0F);
  for (const Index row : {3, 4}) {
    batch.membership(row, 0) = 1.0F;
  }
  for (const Index row : {5, 6}) {
    batch.membership(row, 1) = 1.0F;
  }
  for (const Index row : {0, 1, 2, 7, 8}) {
    batch.membership(row, 2) = 1.0F;
  }
  batch.classes = toy_labels({1, 2});
  batch.probability = Matrix::Constant(9, 2, 0.5F);
  batch.probability.row(8) << 0.45F, 0.55F;
  batch.probability.row(7) << 0.4F, 0.6F;
  return batch;
}

TEST(DiscoveredFirst, asks_once_for_each_group_the_largest_first) {
  // Then half of what is left of the budget, 1 of 2, is spread over rows 5 and 6: the one nearest
  // to their mean 55, of equals the lower. Then margin: ties go by the row, taken ones left out.
  EXPECT_EQ(asked("discovered_first", "{}", three_groups(), 4),
            (std::vector<Index>{1, 3, 5, 0, 2, 4, 6, 8, 7}));
  // No spread: margin at once.
  EXPECT_EQ(asked("discovered_first", "{spread: 0}", three_groups(), 4),
            (std::vector<Index>{1, 3, 0, 2, 4, 5, 6, 8, 7}));
}

TEST(DiscoveredFirst, works_without_a_recogniser_or_a_threshold) {
  Evidence batch = three_groups();
  batch.membership = Matrix();
  batch.groups.clear();
  batch.novel.clear();
  const auto order = asked("discovered_first", "{}", batch, 9);
  EXPECT_EQ(std::set<Index>(order.begin(), order.end()).size(), 9U);
}

TEST(Mixture, interleaves_by_share) {
  Evidence batch = toy_evidence(Matrix::Zero(6, 1));
  batch.classes = toy_labels({1, 2, 3});
  batch.probability.resize(6, 3);
  // The less likely the first class, the wider its lead: the two strategies disagree throughout.
  batch.probability << 0.50F, 0.50F, 0.00F,  // margin 0
      0.49F, 0.39F, 0.12F,                   // 0.10
      0.48F, 0.28F, 0.24F,                   // 0.20
      0.47F, 0.17F, 0.17F,                   // 0.30
      0.46F, 0.06F, 0.06F,                   // 0.40
      0.45F, 0.00F, 0.00F;                   // 0.45
  ASSERT_EQ(asked("margin", "{}", batch, 6), (std::vector<Index>{0, 1, 2, 3, 4, 5}));
  ASSERT_EQ(asked("uncertain_first", "{}", batch, 6), (std::vector<Index>{5, 4, 3, 2, 1, 0}));
  // Shares 2 : 1. Place 1: margin lags 2/3 -> 0. Place 2: 4/3 - 1 = 1/3 against 2/3 -> 5.
  // Place 3: 1 against 0 -> 1. Place 4: 2/3 -> 2. Place 5: 1/3 against 2/3 -> 4. Place 6: 3.
  EXPECT_EQ(asked("mixture",
                  "{strategies: [{name: margin, share: 2}, {name: uncertain_first, share: 1}]}",
                  batch, 6),
            (std::vector<Index>{0, 5, 1, 2, 4, 3}));
}

TEST(Mixture, forwards_what_its_strategies_need) {
  const auto part = make_part<Requester>(
      Slot::feedback, "mixture", "{strategies: [random, {name: coverage, rule: k_center}]}");
  EXPECT_FALSE(part.part->needs().classifier);
  EXPECT_EQ(part.part->needs().neighbours, 1);
  EXPECT_TRUE(part->looks_at_samples());
  const auto plain = make_part<Requester>(Slot::feedback, "mixture", "{strategies: [random]}");
  EXPECT_FALSE(plain->looks_at_samples());
  const auto then = make_part<Requester>(Slot::feedback, "discovered_first", "{then: badge}");
  EXPECT_TRUE(then.part->needs().classifier);
}

std::string refusal_of(std::string_view name, std::string_view yaml) {
  try {
    (void)find_part(Slot::feedback, name).resolve(parse_yaml(yaml, "toy.yaml"), "feedback");
  } catch (const Error& problem) {
    EXPECT_EQ(problem.kind(), ErrorKind::config);
    return problem.what();
  }
  return "";
}

TEST(NestedParts, are_checked_with_their_place_and_spelled_out) {
  EXPECT_THAT(refusal_of("discovered_first", "{then: margn}"),
              testing::AllOf(HasSubstr("toy.yaml:1:"), HasSubstr("feedback.then"),
                             HasSubstr("did you mean \"margin\"")));
  EXPECT_THAT(refusal_of("discovered_first", "{then: {name: badge, greedyy: 3}}"),
              testing::AllOf(HasSubstr("toy.yaml:1:"), HasSubstr("feedback.then.greedyy")));
  EXPECT_THAT(refusal_of("mixture", "{strategies: [{name: margin, share: -1}]}"),
              HasSubstr("feedback.strategies.0.share"));
  EXPECT_THAT(refusal_of("mixture", "{strategies: [{share: 1}]}"), HasSubstr("needs a name"));
  EXPECT_THAT(refusal_of("mixture", "{strategies: []}"), HasSubstr("feedback.strategies"));
  EXPECT_THAT(refusal_of("mixture", "{strategies: [{name: margin, share: 0}]}"),
              HasSubstr("all shares are 0"));
  const ConfigNode resolved =
      find_part(Slot::feedback, "mixture")
          .resolve(parse_yaml("{strategies: [{name: badge, share: 2}]}", "toy.yaml"), "feedback");
  const ConfigNode& badge = resolved.find("strategies")->items.front();
  EXPECT_EQ(badge.find("greedy")->text, "5000");
  EXPECT_EQ(badge.find("share")->text, "2");
  EXPECT_EQ(to_yaml(find_part(Slot::feedback, "mixture").resolve(resolved, "feedback")),
            to_yaml(resolved));
}

}  // namespace
}  // namespace tyto
