// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/leiden.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

#include "tyto/core/error.hpp"
#include "tyto/core/heed_interrupts.hpp"

namespace tyto {

namespace {

using Membership = std::vector<std::int32_t>;

// Below this share of a node's degree a gain is rounding.
constexpr double kLeastShare = 1e-10;

std::size_t renumber(Membership& group) {  // by first appearance
  std::vector<std::int32_t> number(group.size(), -1);
  std::int32_t count = 0;
  for (std::int32_t& g : group) {
    std::int32_t& to = number[at(g)];
    if (to < 0) {
      to = count++;
    }
    g = to;
  }
  return at(count);
}

// Sums by number, forgotten at the cost of what was touched.
class Tally {
 public:
  explicit Tally(std::size_t numbers) : sum_(numbers, 0.0), seen_(numbers, false) {}

  void add(std::int32_t number, double amount) {
    if (!seen_[at(number)]) {
      seen_[at(number)] = true;
      touched_.push_back(number);
    }
    sum_[at(number)] += amount;
  }

  [[nodiscard]] double operator[](std::int32_t number) const { return sum_[at(number)]; }

  [[nodiscard]] const std::vector<std::int32_t>& touched() const { return touched_; }

  void clear() {
    for (const std::int32_t number : touched_) {
      sum_[at(number)] = 0.0;
      seen_[at(number)] = false;
    }
    touched_.clear();
  }

 private:
  std::vector<double> sum_;
  std::vector<bool> seen_;
  std::vector<std::int32_t> touched_;
};

template <class Body>
void for_each_edge(const WeightedGraph& graph, std::size_t node, const Body& body) {
  for (std::size_t e = graph.first[node]; e < graph.first[node + 1]; ++e) {
    body(graph.to[e], graph.weight[e]);
  }
}

std::vector<double> degrees_of(const WeightedGraph& graph, const Membership& group) {
  std::vector<double> sum(graph.nodes(), 0.0);
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    sum[at(group[v])] += graph.degree[v];
  }
  return sum;
}

// Moves single nodes to the community of most gain until none gains. True if any moved.
bool move_nodes(const WeightedGraph& graph, double gamma, Rng& rng, Membership& group) {
  const std::size_t n = graph.nodes();
  std::vector<double> degrees = degrees_of(graph, group);
  std::vector<std::int32_t> size(n, 0);
  for (const std::int32_t g : group) {
    ++size[at(g)];
  }
  std::vector<std::int32_t> empty;
  for (std::size_t g = n; g-- > 0;) {
    if (size[g] == 0) {
      empty.push_back(static_cast<std::int32_t>(g));
    }
  }
  const std::vector<Index> order = rng.permutation(static_cast<Index>(n));
  std::deque<std::size_t> queue(order.begin(), order.end());
  std::vector<bool> waits(n, true);
  Tally links(n);
  bool moved = false;
  while (!queue.empty()) {
    heed_interrupts();
    const std::size_t v = queue.front();
    queue.pop_front();
    waits[v] = false;
    links.clear();
    for_each_edge(graph, v,
                  [&](std::int32_t to, double weight) { links.add(group[at(to)], weight); });
    const std::int32_t home = group[v];
    const double scale = gamma * graph.degree[v] / graph.total;
    const double stay = links[home] - scale * (degrees[at(home)] - graph.degree[v]);
    std::int32_t best = home;
    double most = stay + kLeastShare * graph.degree[v];
    const auto consider = [&](std::int32_t to, double gain) {
      if (gain > most || (gain == most && best != home && to < best)) {
        most = gain;
        best = to;
      }
    };
    for (const std::int32_t to : links.touched()) {
      if (to != home) {
        consider(to, links[to] - scale * degrees[at(to)]);
      }
    }
    if (size[at(home)] > 1) {
      TYTO_ASSERT(!empty.empty());
      consider(empty.back(), 0.0);
    }
    if (best == home) {
      continue;
    }
    moved = true;
    degrees[at(home)] -= graph.degree[v];
    degrees[at(best)] += graph.degree[v];
    if (size[at(best)]++ == 0) {
      empty.pop_back();
    }
    if (--size[at(home)] == 0) {
      degrees[at(home)] = 0.0;
      empty.push_back(home);
    }
    group[v] = best;
    for_each_edge(graph, v, [&](std::int32_t to, double /*weight*/) {
      if (group[at(to)] != best && !waits[at(to)]) {
        waits[at(to)] = true;
        queue.push_back(at(to));
      }
    });
  }
  return moved;
}

// Parts of the communities: nodes start alone, and those well connected to the rest of their
// community join the well-connected part of most gain.
Membership refine(const WeightedGraph& graph, double gamma, Rng& rng, const Membership& group) {
  const std::size_t n = graph.nodes();
  const std::vector<double> whole = degrees_of(graph, group);
  Membership part(n);
  std::iota(part.begin(), part.end(), 0);
  std::vector<double> degrees = graph.degree;  // of each part
  std::vector<double> outward(n, 0.0);         // weight from each part to the rest of its community
  for (std::size_t v = 0; v < n; ++v) {
    for_each_edge(graph, v, [&](std::int32_t to, double weight) {
      outward[v] += group[at(to)] == group[v] ? weight : 0.0;
    });
  }
  const auto well_connected = [&](std::int32_t p, std::int32_t community) {
    const double inside = degrees[at(p)];
    return outward[at(p)] >= gamma * inside * (whole[at(community)] - inside) / graph.total;
  };
  std::vector<bool> alone(n, true);
  Tally links(n);
  for (const Index node : rng.permutation(static_cast<Index>(n))) {
    heed_interrupts();
    const auto v = static_cast<std::size_t>(node);
    const auto own = static_cast<std::int32_t>(node);
    if (!alone[v] || !well_connected(own, group[v])) {
      continue;
    }
    links.clear();
    for_each_edge(graph, v, [&](std::int32_t to, double weight) {
      if (group[at(to)] == group[v]) {
        links.add(part[at(to)], weight);
      }
    });
    std::int32_t best = own;
    double most = kLeastShare * graph.degree[v];
    for (const std::int32_t to : links.touched()) {
      const double gain = links[to] - gamma * graph.degree[v] * degrees[at(to)] / graph.total;
      if ((gain > most || (gain == most && best != own && to < best)) &&
          well_connected(to, group[v])) {
        most = gain;
        best = to;
      }
    }
    if (best == own) {
      continue;
    }
    // A part is named after the node it began with, which is not alone any more either.
    alone[v] = alone[at(best)] = false;
    part[v] = best;
    degrees[at(best)] += graph.degree[v];
    outward[at(best)] += outward[v] - 2.0 * links[best];
  }
  return part;
}

// Each part becomes a node; `part` is numbered 0 ... parts - 1.
WeightedGraph aggregate(const WeightedGraph& graph, const Membership& part, std::size_t parts) {
  std::vector<std::vector<std::size_t>> members(parts);
  for (std::size_t v = 0; v < part.size(); ++v) {
    members[at(part[v])].push_back(v);
  }
  WeightedGraph out;
  out.total = graph.total;
  out.loop.assign(parts, 0.0);
  out.degree.assign(parts, 0.0);
  Tally links(parts);
  for (std::size_t p = 0; p < parts; ++p) {
    links.clear();
    for (const std::size_t v : members[p]) {
      out.loop[p] += graph.loop[v];
      out.degree[p] += graph.degree[v];
      for_each_edge(graph, v,
                    [&](std::int32_t to, double weight) { links.add(part[at(to)], weight); });
    }
    for (const std::int32_t to : links.touched()) {
      if (at(to) == p) {
        out.loop[p] += links[to] / 2.0;  // met from both ends
      } else {
        out.to.push_back(to);
        out.weight.push_back(links[to]);
      }
    }
    out.first.push_back(out.to.size());
  }
  return out;
}

// Communities that fall apart become their pieces, which takes no edge from the inside. Needed
// where a pass ends because no part could be merged further.
void split_disconnected(const WeightedGraph& graph, Membership& group) {
  Membership piece(group.size(), -1);
  std::vector<std::size_t> open;
  std::int32_t pieces = 0;
  for (std::size_t start = 0; start < group.size(); ++start) {
    if (piece[start] >= 0) {
      continue;
    }
    piece[start] = pieces;
    open.assign(1, start);
    while (!open.empty()) {
      const std::size_t v = open.back();
      open.pop_back();
      for_each_edge(graph, v, [&](std::int32_t to, double /*weight*/) {
        if (group[at(to)] == group[start] && piece[at(to)] < 0) {
          piece[at(to)] = pieces;
          open.push_back(at(to));
        }
      });
    }
    ++pieces;
  }
  group = std::move(piece);
}

// One pass from `group`.
void improve(const WeightedGraph& graph, double gamma, Rng rng, Membership& group) {
  const WeightedGraph* level = &graph;
  WeightedGraph coarse;
  Membership node_of(graph.nodes());  // of each node in the graph of this level
  std::iota(node_of.begin(), node_of.end(), 0);
  Membership communities = group;
  while (true) {
    move_nodes(*level, gamma, rng, communities);
    if (renumber(communities) == level->nodes()) {
      break;
    }
    Membership part = refine(*level, gamma, rng, communities);
    const std::size_t parts = renumber(part);
    if (parts == level->nodes()) {
      break;
    }
    Membership lifted(parts);
    for (std::size_t v = 0; v < part.size(); ++v) {
      lifted[at(part[v])] = communities[v];
    }
    coarse = aggregate(*level, part, parts);
    level = &coarse;
    communities = std::move(lifted);
    for (std::int32_t& node : node_of) {
      node = part[at(node)];
    }
  }
  for (std::size_t v = 0; v < group.size(); ++v) {
    group[v] = communities[at(node_of[v])];
  }
  split_disconnected(graph, group);
}

}  // namespace

WeightedGraph make_graph(std::size_t nodes, std::span<const GraphEdge> edges) {
  WeightedGraph graph;
  graph.loop.assign(nodes, 0.0);
  graph.degree.assign(nodes, 0.0);
  std::vector<GraphEdge> ends;
  ends.reserve(2 * edges.size());
  for (const GraphEdge& edge : edges) {
    TYTO_ASSERT(edge.a >= 0 && at(edge.a) < nodes && edge.b >= 0 && at(edge.b) < nodes);
    TYTO_ASSERT(edge.weight > 0.0);
    if (edge.a == edge.b) {
      graph.loop[at(edge.a)] += edge.weight;
    } else {
      ends.push_back(edge);
      ends.push_back({edge.b, edge.a, edge.weight});
    }
  }
  std::stable_sort(ends.begin(), ends.end(), [](const GraphEdge& x, const GraphEdge& y) {
    return std::pair(x.a, x.b) < std::pair(y.a, y.b);
  });
  std::size_t e = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    graph.degree[v] = 2.0 * graph.loop[v];
    for (; e < ends.size() && at(ends[e].a) == v; ++e) {
      graph.degree[v] += ends[e].weight;
      if (graph.to.size() > graph.first.back() && graph.to.back() == ends[e].b) {
        graph.weight.back() += ends[e].weight;
      } else {
        graph.to.push_back(ends[e].b);
        graph.weight.push_back(ends[e].weight);
      }
    }
    graph.first.push_back(graph.to.size());
    graph.total += graph.degree[v];
  }
  return graph;
}

double modularity(const WeightedGraph& graph, std::span<const std::int32_t> group, double gamma) {
  TYTO_ASSERT(group.size() == graph.nodes());
  if (!(graph.total > 0.0)) {
    return 0.0;
  }
  Membership number(group.begin(), group.end());
  renumber(number);
  double inside = 0.0;  // twice the weight within groups
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    inside += 2.0 * graph.loop[v];
    for_each_edge(graph, v, [&](std::int32_t to, double weight) {
      inside += number[at(to)] == number[v] ? weight : 0.0;
    });
  }
  double expected = 0.0;
  for (const double degrees : degrees_of(graph, number)) {
    expected += degrees / graph.total * (degrees / graph.total);
  }
  return inside / graph.total - gamma * expected;
}

std::vector<std::int32_t> leiden(const WeightedGraph& graph, Rng rng,
                                 const LeidenOptions& options) {
  Membership group(graph.nodes());
  std::iota(group.begin(), group.end(), 0);
  if (!(graph.total > 0.0)) {
    return group;
  }
  double reached = modularity(graph, group, options.gamma);
  for (Index pass = 0; pass < options.passes; ++pass) {
    Membership next = group;
    improve(graph, options.gamma, rng.fork("pass", static_cast<std::uint64_t>(pass)), next);
    const double quality = modularity(graph, next, options.gamma);
    if (!(quality > reached)) {
      break;
    }
    reached = quality;
    group = std::move(next);
  }
  renumber(group);
  return group;
}

}  // namespace tyto
