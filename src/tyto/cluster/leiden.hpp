// SPDX-License-Identifier: Apache-2.0
// Communities of a weighted graph by the Leiden algorithm (Traag, Waltman and van Eck, Scientific
// Reports 9, 2019) for modularity with a resolution.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

struct GraphEdge {
  std::int32_t a, b;
  double weight;  // above 0
};

// Undirected. The edges of node v are first[v] ... first[v + 1] - 1, each edge stands at both ends.
struct WeightedGraph {
  std::vector<std::size_t> first{0};
  std::vector<std::int32_t> to;
  std::vector<double> weight;
  std::vector<double> loop;    // weight of the edges from a node to itself
  std::vector<double> degree;  // sum of the weights at a node, a loop counts twice
  double total = 0.0;          // sum of the degrees, 2m

  [[nodiscard]] std::size_t nodes() const { return degree.size(); }
};

// Edges between the same two nodes are added up.
WeightedGraph make_graph(std::size_t nodes, std::span<const GraphEdge> edges);

// sum over groups of e / m - gamma (K / 2m)^2 with the weight e inside a group and its degrees K;
// 0 for a graph without edges. Groups are numbered below the number of nodes.
double modularity(const WeightedGraph& graph, std::span<const std::int32_t> group, double gamma);

struct LeidenOptions {
  double gamma = 1.0;  // more: finer
  Index passes =
      10;  // over the whole graph, each from the result of the last; ends when none helps
};

// The community of each node, numbered by first appearance; every one is connected, and a node
// without edges is alone. Each pass moves nodes with a queue, refines each community into
// well-connected parts from single nodes, and goes on with these parts as nodes. Modularity never
// falls from pass to pass. Nodes are visited in random order; a node goes to the community of most
// gain, ties to its own, then to the lower number: equal graph and rng, equal answer. About linear
// in the edges per pass.
std::vector<std::int32_t> leiden(const WeightedGraph& graph, Rng rng,
                                 const LeidenOptions& options = {});

}  // namespace tyto
