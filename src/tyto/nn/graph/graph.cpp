// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/graph/graph.hpp"

#include <algorithm>
#include <numeric>

namespace tyto {

namespace {

Index elements(const GraphTensor& tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), Index{1}, std::multiplies<>());
}

// body(node) for all nodes in the order of the list.
template <class Nodes, class Body>
void listed(Nodes& nodes, const Body& body) {
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return nodes[a].later < nodes[b].later; });
  for (const std::size_t place : order) {
    auto& node = nodes[place];
    if (auto* residual = std::get_if<ResidualNode>(&node.kind)) {
      listed(residual->shortcut_first ? residual->shortcut : residual->main, body);
      listed(residual->shortcut_first ? residual->main : residual->shortcut, body);
    } else if (auto* join = std::get_if<JoinNode>(&node.kind)) {
      for (auto& branch : join->branches) {
        listed(branch, body);
      }
    } else {
      body(node);
    }
  }
}

Index count(const Graph& graph, bool statistics) {
  Index sum = 0;
  for (const GraphTensor& tensor : graph.tensors) {
    sum += tensor.statistics == statistics ? elements(tensor) : 0;
  }
  return sum;
}

}  // namespace

Graph numbered(Graph graph) {
  graph.tensors.clear();
  listed(graph.nodes, [&](GraphNode& node) {
    node.first = static_cast<Index>(graph.tensors.size());
    graph.tensors.insert(graph.tensors.end(), node.tensors.begin(), node.tensors.end());
  });
  return graph;
}

Index parameter_count(const Graph& graph) {
  return count(graph, false);
}

Index statistics_count(const Graph& graph) {
  return count(graph, true);
}

std::vector<std::string> mark_names(const Graph& graph) {
  std::vector<std::string> names;
  listed(graph.nodes, [&](const GraphNode& node) {
    if (const auto* mark = std::get_if<MarkNode>(&node.kind)) {
      names.push_back(mark->name);
    }
  });
  return names;
}

}  // namespace tyto
