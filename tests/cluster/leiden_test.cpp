// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/leiden.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "cluster/group_rows.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::Each;
using testing::ElementsAre;
using Communities = std::vector<std::int32_t>;

std::size_t count_of(const Communities& group) {
  return std::set<std::int32_t>(group.begin(), group.end()).size();
}

WeightedGraph random_graph(Rng& rng, std::int32_t nodes, double density, bool equal_weights) {
  std::vector<GraphEdge> edges;
  for (std::int32_t a = 0; a < nodes; ++a) {
    for (std::int32_t b = 0; b < a; ++b) {
      if (rng.uniform() < density) {
        edges.push_back({a, b, equal_weights ? 1.0 : 0.05 + rng.uniform()});
      }
    }
  }
  return make_graph(static_cast<std::size_t>(nodes), edges);
}

// Communities of `each` nodes, node v in v % communities.
WeightedGraph planted_graph(Rng& rng, std::int32_t communities, std::int32_t each, double inside,
                            double between) {
  std::vector<GraphEdge> edges;
  for (std::int32_t a = 0; a < communities * each; ++a) {
    for (std::int32_t b = 0; b < a; ++b) {
      if (rng.uniform() < (a % communities == b % communities ? inside : between)) {
        edges.push_back({a, b, 1.0});
      }
    }
  }
  return make_graph(static_cast<std::size_t>(communities * each), edges);
}

// Cliques of five nodes, the last of each joined to the first of the next.
WeightedGraph ring_of_cliques(std::int32_t cliques) {
  std::vector<GraphEdge> edges;
  for (std::int32_t c = 0; c < cliques; ++c) {
    for (std::int32_t i = 0; i < 5; ++i) {
      for (std::int32_t j = 0; j < i; ++j) {
        edges.push_back({5 * c + i, 5 * c + j, 1.0});
      }
    }
    edges.push_back({5 * c + 4, 5 * ((c + 1) % cliques), 1.0});
  }
  return make_graph(static_cast<std::size_t>(5 * cliques), edges);
}

bool all_connected(const WeightedGraph& graph, const Communities& group) {
  std::vector<bool> reached(group.size(), false);
  std::set<std::int32_t> begun;
  for (std::size_t start = 0; start < group.size(); ++start) {
    if (reached[start]) {
      continue;
    }
    if (!begun.insert(group[start]).second) {
      return false;  // a second piece of the same community
    }
    std::vector<std::size_t> open{start};
    reached[start] = true;
    while (!open.empty()) {
      const std::size_t v = open.back();
      open.pop_back();
      for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
        const auto to = static_cast<std::size_t>(graph.to[e]);
        if (!reached[to] && group[to] == group[start]) {
          reached[to] = true;
          open.push_back(to);
        }
      }
    }
  }
  return true;
}

// Over all partitions, as strings of restricted growth.
double best_modularity(const WeightedGraph& graph, double gamma) {
  Communities group(graph.nodes(), 0);
  double best = -1e9;
  const auto extend = [&](const auto& self, std::size_t v, std::int32_t used) -> void {
    if (v == group.size()) {
      best = std::max(best, modularity(graph, group, gamma));
      return;
    }
    for (group[v] = 0; group[v] <= used; ++group[v]) {
      self(self, v + 1, std::max(used, group[v] + 1));
    }
  };
  extend(extend, 0, 0);
  return best;
}

TEST(Graph, adds_up_edges_between_the_same_nodes) {
  const WeightedGraph graph =
      make_graph(3, std::vector<GraphEdge>{{0, 1, 1.0}, {2, 2, 0.5}, {1, 0, 2.0}, {1, 2, 4.0}});
  EXPECT_THAT(graph.first, ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(graph.to, ElementsAre(1, 0, 2, 1));
  EXPECT_THAT(graph.weight, ElementsAre(3.0, 3.0, 4.0, 4.0));
  EXPECT_THAT(graph.degree, ElementsAre(3.0, 7.0, 5.0));  // the loop at 2 counts twice
  EXPECT_EQ(graph.total, 15.0);
}

TEST(Modularity, is_that_of_two_triangles_joined_by_an_edge) {
  // m = 7, three edges inside each, degrees 7 and 7: 6/7 - gamma (1/4 + 1/4).
  const WeightedGraph graph = make_graph(
      6, std::vector<GraphEdge>{
             {0, 1, 1}, {1, 2, 1}, {0, 2, 1}, {3, 4, 1}, {4, 5, 1}, {3, 5, 1}, {2, 3, 1}});
  const Communities two{0, 0, 0, 1, 1, 1};
  EXPECT_NEAR(modularity(graph, two, 1.0), 6.0 / 7.0 - 0.5, 1e-12);
  EXPECT_NEAR(modularity(graph, two, 2.0), 6.0 / 7.0 - 1.0, 1e-12);
  EXPECT_NEAR(modularity(graph, Communities(6, 3), 1.0), 0.0, 1e-12);
  EXPECT_EQ(leiden(graph, Rng(1)), two);
}

TEST(Leiden, reaches_the_best_of_all_partitions_of_small_graphs_or_nearly) {
  Rng rng(3);
  int best_reached = 0;
  const int rounds = 60;
  for (int round = 0; round < rounds; ++round) {
    const auto nodes = static_cast<std::int32_t>(4 + rng.below(5));
    const WeightedGraph graph = random_graph(rng, nodes, 0.5, round % 2 == 0);
    const double gamma = 0.5 + rng.uniform();
    const Communities group = leiden(graph, Rng(7), {gamma, 10});
    const double best = best_modularity(graph, gamma);
    const double reached = modularity(graph, group, gamma);
    EXPECT_LE(reached, best + 1e-12);
    EXPECT_GE(reached, best - 0.05);
    best_reached += reached > best - 1e-9 ? 1 : 0;
  }
  EXPECT_GE(best_reached, rounds * 8 / 10);
}

TEST(Leiden, never_loses_modularity_and_leaves_communities_connected) {
  Rng rng(5);
  for (int round = 0; round < 12; ++round) {
    const WeightedGraph graph = random_graph(rng, 120, 0.02 + 0.01 * round, round % 3 == 0);
    for (const double gamma : {0.2, 1.0, 3.0}) {
      Communities alone(graph.nodes());
      std::iota(alone.begin(), alone.end(), 0);
      double before = modularity(graph, alone, gamma);
      for (Index passes = 1; passes <= 5; ++passes) {
        const Communities group = leiden(graph, Rng(9), {gamma, passes});
        const double reached = modularity(graph, group, gamma);
        EXPECT_GE(reached, before - 1e-12);
        EXPECT_TRUE(all_connected(graph, group));
        before = reached;
      }
    }
  }
}

TEST(Leiden, leaves_no_node_that_would_gain_by_moving) {
  Rng rng(6);
  const WeightedGraph graph = random_graph(rng, 80, 0.08, false);
  Communities group = leiden(graph, Rng(2), {1.0, 50});
  const double reached = modularity(graph, group, 1.0);
  for (std::size_t v = 0; v < group.size(); ++v) {
    const std::int32_t home = group[v];
    for (group[v] = 0; group[v] < 80; ++group[v]) {
      EXPECT_LE(modularity(graph, group, 1.0), reached + 1e-9);
    }
    group[v] = home;
  }
}

TEST(Leiden, recovers_planted_communities) {
  Rng rng(8);
  const WeightedGraph graph = planted_graph(rng, 6, 40, 0.4, 0.02);
  const Communities group = leiden(graph, Rng(1));
  EXPECT_EQ(count_of(group), 6U);
  for (std::size_t v = 0; v < group.size(); ++v) {
    EXPECT_EQ(group[v], static_cast<std::int32_t>(v % 6));
  }
}

TEST(Leiden, merges_a_ring_of_cliques_only_below_the_resolution_limit) {
  // m = 11 c. Joining two neighbours of degrees 22 each gains 1/m - 2 gamma (22/2m)^2 =
  // (1 - 22 gamma / c) / m: apart for c < 22 gamma, together above.
  EXPECT_EQ(count_of(leiden(ring_of_cliques(12), Rng(1))), 12U);
  EXPECT_EQ(count_of(leiden(ring_of_cliques(40), Rng(1), {2.0, 10})), 40U);
  EXPECT_LT(count_of(leiden(ring_of_cliques(40), Rng(1), {1.0, 10})), 40U);
}

TEST(Leiden, finds_more_communities_at_finer_resolutions) {
  Rng rng(4);
  const WeightedGraph graph = planted_graph(rng, 4, 50, 0.3, 0.03);
  std::size_t before = 0;
  for (const double gamma : {0.05, 0.3, 1.0, 3.0, 9.0, 100.0}) {
    const std::size_t count = count_of(leiden(graph, Rng(1), {gamma, 10}));
    EXPECT_GE(count, before);
    before = count;
  }
  EXPECT_EQ(before, 200U);  // at 100 every node is alone
}

TEST(Leiden, answers_for_graphs_without_structure) {
  EXPECT_TRUE(leiden(make_graph(0, {}), Rng(1)).empty());
  EXPECT_THAT(leiden(make_graph(3, {}), Rng(1)), ElementsAre(0, 1, 2));
  EXPECT_THAT(leiden(make_graph(1, std::vector<GraphEdge>{{0, 0, 1.0}}), Rng(1)), ElementsAre(0));
  // Node 1 has no edge.
  EXPECT_THAT(leiden(make_graph(3, std::vector<GraphEdge>{{0, 2, 1.0}}), Rng(1)),
              ElementsAre(0, 1, 0));
  std::vector<GraphEdge> all;
  for (std::int32_t a = 0; a < 9; ++a) {
    for (std::int32_t b = 0; b < a; ++b) {
      all.push_back({a, b, 1.0});
    }
  }
  EXPECT_THAT(leiden(make_graph(9, all), Rng(1)), Each(0));
}

TEST(Leiden, breaks_ties_the_same_way_every_time) {
  // A cycle of equal edges: every cut into equal arcs is as good as its rotations.
  std::vector<GraphEdge> edges;
  for (std::int32_t v = 0; v < 60; ++v) {
    edges.push_back({v, (v + 1) % 60, 1.0});
  }
  const WeightedGraph graph = make_graph(60, edges);
  const Communities group = leiden(graph, Rng(21));
  EXPECT_EQ(leiden(graph, Rng(21)), group);
  EXPECT_TRUE(all_connected(graph, group));
  std::reverse(edges.begin(), edges.end());
  EXPECT_EQ(leiden(make_graph(60, edges), Rng(21)), group);  // however the edges were listed
}

}  // namespace
}  // namespace tyto
