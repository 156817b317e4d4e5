// SPDX-License-Identifier: Apache-2.0
// A short way to write networks down: each call appends a node, knows how many channels arrive and
// puts the chain's prefix before its names.
//
//   Chain net({.width = 3});
//   net.conv("conv1", 64, square(7, 2, 3)).norm("bn1").act().max_pool(square(3, 2, 1));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/nn/graph/graph.hpp"

namespace tyto {

// k x k of a picture or of every frame; k frames of every pixel; k x k x k.
Window square(Index k, Index stride = 1, Index pad = 0);
Window along_time(Index k, Index stride = 1, Index pad = 0);
Window cube(Index k, Index stride = 1, Index pad = 0);
Window tf_same(const Extent& kernel, const Extent& stride);

struct ConvExtras {
  Index groups = 1;
  bool bias = false;
  double deviation = 0.0;  // begins normal with this; 0: as the chain's
};

struct Widening {  // of a transposed convolution of pictures
  Index kernel = 1, stride = 1, pad = 0;
  Index more = 0;  // rows and columns behind the last
};

struct ChainStart {
  int axes = 2;
  Index width = 3;          // channels that arrive
  std::string prefix = "";  // of all names, with its dot
  Start conv_start = Start::he;
  double linear_deviation = 0.01;  // how linear layers begin; 0: uniform by fan in
};

class Chain {
 public:
  explicit Chain(ChainStart start) : start_(std::move(start)) {}

  [[nodiscard]] Index width() const { return start_.width; }

  // An empty chain that begins where this one stands, with a longer prefix.
  [[nodiscard]] Chain branch(std::string_view prefix = "") const;

  Chain& conv(std::string_view name, Index out, const Window& window, ConvExtras extras = {});
  Chain& transposed(std::string_view name, Index out, Widening widening);
  Chain& norm(std::string_view name, double epsilon = 1e-5, double momentum = 0.1);
  Chain& split_norm(std::string_view name);  // with a second pair of statistics, which is used
  Chain& act(Activation kind = Activation::relu);
  Chain& max_pool(const Window& window);
  Chain& average_pool(const Window& window);
  Chain& global_pool();
  Chain& adaptive_pool(Index height, Index width);
  Chain& flatten(Index width);
  Chain& reshape(Index height, Index width);
  Chain& linear(std::string_view name, Index out);
  Chain& dropout(double rate);
  Chain& gate(std::string_view squeeze, std::string_view excite, Index hidden);
  Chain& fold_time();  // pictures from here on
  Chain& mark(std::string_view name, bool mean_of_softmax = false);

  // Its end must be as wide as that of `main`.
  Chain& residual(Chain main, Chain shortcut, bool shortcut_first = false);
  Chain& residual(Chain main);  // + its input
  Chain& side_by_side(std::vector<Chain> branches);
  Chain& sum(std::vector<Chain> branches);
  Chain& then(Chain rest);

  Chain& node(GraphNode node);  // any other
  Chain& listed(int later);     // of the last node

  [[nodiscard]] std::string name(std::string_view last) const {
    return start_.prefix + std::string(last);
  }

  // {weight, bias} of a linear layer, a layer or batch norm.
  [[nodiscard]] std::vector<GraphTensor> linear_tensors(std::string_view name, Index in,
                                                        Index out) const;
  [[nodiscard]] std::vector<GraphTensor> scale_tensors(std::string_view name) const;

  // The whole network. `head` is the stem of the tensors that make logits.
  [[nodiscard]] Graph graph(int axes, std::string_view head) &&;

 private:
  Chain& pool(PoolKind kind, const Window& window);

  ChainStart start_;
  GraphNodes nodes_;
};

}  // namespace tyto
