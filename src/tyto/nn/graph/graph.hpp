// SPDX-License-Identifier: Apache-2.0
// A network for pictures or clips as data: what follows what, and the name and shape of every
// tensor as published files have them. Torch builds it (torch_graph.hpp); nothing here knows torch.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

using Extent = std::array<Index, 3>;  // along t, y, x; networks of pictures use the last two

// How a convolution or pool looks at its input. same: zeros around it by the input's size, so that
// ceil(n / stride) comes out (TensorFlow's rule; the odd one goes behind).
struct Window {
  Extent kernel{1, 1, 1}, stride{1, 1, 1}, pad{0, 0, 0};
  bool same = false;
};

// How a tensor begins where no file fills it. he: normal, variance 2 / fan out. fan_in: uniform in
// +-1 / sqrt(fan in). xavier: uniform in +-sqrt(6 / (fan in + fan out)). normal: of this deviation.
// uniform: in +- this.
enum class Start { zero, one, he, fan_in, xavier, normal, uniform };

struct GraphTensor {
  std::string name;
  std::vector<Index> shape;
  Start start = Start::zero;
  double spread = 0.0;      // of normal and uniform
  bool statistics = false;  // of a batch norm: no parameter, and never derived
};

struct GraphNode;
using GraphNodes = std::vector<GraphNode>;  // one after another

// The kinds of node. Tensors a node has are named in brackets, in the order of
// GraphNode::tensors.
struct ConvNode {  // [weight, bias?]
  int axes = 2;    // 2: pictures, 3: clips
  Window window;
  Index groups = 1;
  // Transposed: n positions become (n - 1) stride - 2 pad + kernel + more. Its weight is
  // inputs x outputs x kernel.
  bool transposed = false;
  Index more = 0;  // behind the last position along every axis
};

struct BatchNormNode {  // [weight, bias, mean, variance, split mean?, split variance?]
  double epsilon = 1e-5, momentum = 0.1;
};

enum class Activation { relu, relu6, swish, leaky_relu, sigmoid };  // leaky: 0.01 below zero

struct ActivationNode {
  Activation kind = Activation::relu;
};

enum class PoolKind { max, average };

struct PoolNode {
  PoolKind kind = PoolKind::max;
  int axes = 2;
  Window window;
};

struct GlobalPoolNode {    // the mean over all positions: N,C
  bool keep_axes = false;  // N,C,1,1,1
};

struct AdaptivePoolNode {  // the mean over this many bins along y and x
  Index height = 7, width = 7;
};

struct FlattenNode {};  // all but N into one axis

struct ReshapeNode {  // N,C H W numbers as N,C,H,W; C is what they allow
  Index height = 1, width = 1;
};

struct LinearNode {};  // [weight, bias]; of maps at every position

struct DropoutNode {
  double rate = 0.5;
};

struct ResidualNode {  // main(x) + shortcut(x); no shortcut: + x
  GraphNodes main, shortcut;
  bool shortcut_first = false;  // in the list of tensors
};

struct JoinNode {  // what branches make of one input, side by side along C or summed
  std::vector<GraphNodes> branches;
  bool sum = false;
};

struct GateNode {
};  // squeeze and excite [weight, bias, weight, bias]: x sigmoid(fc(relu(fc(mean))))

struct FoldTimeNode {};  // N,C,T,H,W as N T pictures; marks take their mean over T

// stored: the input must have the size of the positions. dino: bicubic by scale factors.
// nearest: by counts alone (TimeSformer).
enum class Positions { stored, dino, nearest };

// A picture, or every frame of a clip, cut into patches, a class token in front.
struct TokensNode {
  Index patch = 16;
  Index width = 768;
  Positions positions = Positions::stored;
  // Places among the node's tensors; no time embedding: -1.
  int class_token = 0, position_rows = 1, time_rows = -1, conv = 2;
};

// Pre-norm transformer block [norm1 w b, qkv w b, projection w b, norm2 w b, fc1 w b, fc2 w b].
struct BlockNode {
  Index heads = 12;
  double drop_path = 0.0;
};

// TimeSformer's [norm1, qkv, projection, temporal norm1, qkv, projection, fc, norm2, fc1, fc2].
struct DividedBlockNode {
  Index heads = 12;
  double drop_path = 0.0;
};

struct LayerNormNode {};  // [weight, bias], epsilon 1e-6

struct ClassTokenNode {};  // the first token alone: N,C

// Keeps what comes by here under a name. "feature" and "logits" are the network's answers: means
// over positions and frames. mean_of_softmax: of several positions the logarithm of the mean
// probability.
struct MarkNode {
  std::string name;
  bool mean_of_softmax = false;
};

struct GraphNode {
  std::variant<ConvNode, BatchNormNode, ActivationNode, PoolNode, GlobalPoolNode, AdaptivePoolNode,
               FlattenNode, ReshapeNode, LinearNode, DropoutNode, ResidualNode, JoinNode, GateNode,
               FoldTimeNode, TokensNode, BlockNode, DividedBlockNode, LayerNormNode, ClassTokenNode,
               MarkNode>
      kind;
  std::vector<GraphTensor> tensors = {};
  // Files keep the order of their makers' constructors: nodes in a row are listed by `later`, which
  // is stable.
  int later = 0;
  Index first = 0;  // place of its first tensor in the network's list, set by numbered()
};

struct Graph {
  int axes = 2;  // 2: sees N,C,H,W; 3: N,C,T,H,W
  Index channels = 3;
  GraphNodes nodes;
  std::vector<GraphTensor> tensors;  // in the order of the published files
  std::string head;                  // stem of the tensors that make logits; "": none
};

// How a network is to be made, as far as its files differ.
struct GraphSettings {
  Index classes = 0;  // 0: no head
  Index grid = 0;     // side of the grid of positions; 0: as published
  Index frames = 0;   // rows of the time embedding; 0: as published
};

// Lists the tensors of all nodes and numbers them.
Graph numbered(Graph graph);

Index parameter_count(const Graph& graph);   // without statistics
Index statistics_count(const Graph& graph);  // of batch norms

// Names of all marks, in order.
std::vector<std::string> mark_names(const Graph& graph);

}  // namespace tyto
