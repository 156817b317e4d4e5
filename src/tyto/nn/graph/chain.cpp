// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/graph/chain.hpp"

#include <cmath>
#include <utility>

#include "tyto/core/error.hpp"

namespace tyto {

Window square(Index k, Index stride, Index pad) {
  return {.kernel = {1, k, k}, .stride = {1, stride, stride}, .pad = {0, pad, pad}};
}

Window along_time(Index k, Index stride, Index pad) {
  return {.kernel = {k, 1, 1}, .stride = {stride, 1, 1}, .pad = {pad, 0, 0}};
}

Window cube(Index k, Index stride, Index pad) {
  return {.kernel = {k, k, k}, .stride = {stride, stride, stride}, .pad = {pad, pad, pad}};
}

Window tf_same(const Extent& kernel, const Extent& stride) {
  return {.kernel = kernel, .stride = stride, .same = true};
}

Chain Chain::branch(std::string_view prefix) const {
  ChainStart start = start_;
  start.prefix += prefix;
  return Chain(std::move(start));
}

Chain& Chain::node(GraphNode node) {
  nodes_.push_back(std::move(node));
  return *this;
}

Chain& Chain::listed(int later) {
  nodes_.back().later = later;
  return *this;
}

Chain& Chain::conv(std::string_view name, Index out, const Window& window, ConvExtras extras) {
  TYTO_ASSERT(start_.width % extras.groups == 0 && out % extras.groups == 0);
  GraphNode made{ConvNode{start_.axes, window, extras.groups}};
  GraphTensor weight{this->name(name) + ".weight", {out, start_.width / extras.groups}};
  for (std::size_t axis = start_.axes == 2 ? 1 : 0; axis < 3; ++axis) {
    weight.shape.push_back(window.kernel[axis]);
  }
  weight.start = extras.deviation > 0 ? Start::normal : start_.conv_start;
  weight.spread = extras.deviation;
  made.tensors.push_back(std::move(weight));
  if (extras.bias) {
    made.tensors.push_back({this->name(name) + ".bias", {out}});
  }
  start_.width = out;
  return node(std::move(made));
}

Chain& Chain::transposed(std::string_view name, Index out, Widening widening) {
  const auto& [kernel, stride, pad, more] = widening;
  GraphNode made{ConvNode{.axes = 2,
                          .window = square(kernel, stride, pad),
                          .groups = 1,
                          .transposed = true,
                          .more = more}};
  made.tensors.push_back(
      {this->name(name) + ".weight", {width(), out, kernel, kernel}, start_.conv_start});
  start_.width = out;
  return node(std::move(made));
}

std::vector<GraphTensor> Chain::scale_tensors(std::string_view name) const {
  const std::string stem = this->name(name);
  return {{stem + ".weight", {start_.width}, Start::one}, {stem + ".bias", {start_.width}}};
}

Chain& Chain::norm(std::string_view name, double epsilon, double momentum) {
  GraphNode made{BatchNormNode{epsilon, momentum}, scale_tensors(name)};
  const std::string stem = this->name(name);
  made.tensors.push_back({stem + ".running_mean", {width()}, Start::zero, 0, true});
  made.tensors.push_back({stem + ".running_var", {width()}, Start::one, 0, true});
  return node(std::move(made));
}

Chain& Chain::split_norm(std::string_view name) {
  GraphNode made{BatchNormNode{}, scale_tensors(name)};
  for (const char* pair : {".bn", ".split_bn"}) {
    const std::string stem = this->name(name) + pair;
    made.tensors.push_back({stem + ".running_mean", {width()}, Start::zero, 0, true});
    made.tensors.push_back({stem + ".running_var", {width()}, Start::one, 0, true});
  }
  return node(std::move(made));
}

Chain& Chain::act(Activation kind) {
  return node({ActivationNode{kind}});
}

Chain& Chain::pool(PoolKind kind, const Window& window) {
  return node({PoolNode{kind, start_.axes, window}});
}

Chain& Chain::max_pool(const Window& window) {
  return pool(PoolKind::max, window);
}

Chain& Chain::average_pool(const Window& window) {
  return pool(PoolKind::average, window);
}

Chain& Chain::global_pool() {
  return node({GlobalPoolNode{}});
}

Chain& Chain::adaptive_pool(Index height, Index width) {
  return node({AdaptivePoolNode{height, width}});
}

Chain& Chain::flatten(Index width) {
  start_.width = width;
  return node({FlattenNode{}});
}

Chain& Chain::reshape(Index height, Index width) {
  TYTO_ASSERT(start_.width % (height * width) == 0);
  start_.width /= height * width;
  return node({ReshapeNode{height, width}});
}

std::vector<GraphTensor> Chain::linear_tensors(std::string_view name, Index in, Index out) const {
  const std::string stem = this->name(name);
  if (start_.linear_deviation > 0) {
    return {{stem + ".weight", {out, in}, Start::normal, start_.linear_deviation},
            {stem + ".bias", {out}}};
  }
  // Biases too, by the weights' fan in, as torch's own linear layer does.
  return {{stem + ".weight", {out, in}, Start::fan_in},
          {stem + ".bias", {out}, Start::uniform, 1.0 / std::sqrt(static_cast<double>(in))}};
}

Chain& Chain::linear(std::string_view name, Index out) {
  GraphNode made{LinearNode{}, linear_tensors(name, width(), out)};
  start_.width = out;
  return node(std::move(made));
}

Chain& Chain::dropout(double rate) {
  return node({DropoutNode{rate}});
}

Chain& Chain::gate(std::string_view squeeze, std::string_view excite, Index hidden) {
  GraphNode made{GateNode{}};
  const auto add = [&](std::string_view which, Index in, Index out) {
    Chain layer = branch();
    layer.start_.width = in;
    layer.conv(which, out, cube(1), {.bias = true});
    for (GraphTensor& tensor : layer.nodes_.front().tensors) {
      made.tensors.push_back(std::move(tensor));
    }
  };
  add(squeeze, width(), hidden);
  add(excite, hidden, width());
  return node(std::move(made));
}

Chain& Chain::fold_time() {
  start_.axes = 2;
  return node({FoldTimeNode{}});
}

Chain& Chain::mark(std::string_view name, bool mean_of_softmax) {
  return node({MarkNode{std::string(name), mean_of_softmax}});
}

Chain& Chain::residual(Chain main, Chain shortcut, bool shortcut_first) {
  TYTO_ASSERT(main.width() == shortcut.width());
  start_.width = main.width();
  return node({ResidualNode{std::move(main.nodes_), std::move(shortcut.nodes_), shortcut_first}});
}

Chain& Chain::residual(Chain main) {
  return residual(std::move(main), branch());
}

Chain& Chain::side_by_side(std::vector<Chain> branches) {
  JoinNode made;
  Index width = 0;
  for (Chain& branch : branches) {
    width += branch.width();
    made.branches.push_back(std::move(branch.nodes_));
  }
  start_.width = width;
  return node({std::move(made)});
}

Chain& Chain::sum(std::vector<Chain> branches) {
  const Index width = branches.front().width();
  side_by_side(std::move(branches));
  std::get<JoinNode>(nodes_.back().kind).sum = true;
  start_.width = width;
  return *this;
}

Chain& Chain::then(Chain rest) {
  start_.width = rest.width();
  start_.axes = rest.start_.axes;
  for (GraphNode& node : rest.nodes_) {
    nodes_.push_back(std::move(node));
  }
  return *this;
}

Graph Chain::graph(int axes, std::string_view head) && {
  return numbered(
      {.axes = axes, .nodes = std::move(nodes_), .tensors = {}, .head = std::string(head)});
}

}  // namespace tyto
