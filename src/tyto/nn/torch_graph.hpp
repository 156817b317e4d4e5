// SPDX-License-Identifier: Apache-2.0
// Inside the module only: a network described as data, on torch tensors. One evaluation for answers
// and for training, where autograd watches tensors that ask for gradients.
#pragma once

#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "tyto/core/random.hpp"
#include "tyto/nn/graph/graph.hpp"

namespace tyto {

struct GraphPass {
  // Batch norms take the statistics of the batch and update their own, unless their weight asks for
  // no gradient: a frozen layer stays as it is. Dropout and drop-path draw from `rng`, which
  // is this step's own.
  bool train = false;
  const Rng* rng = nullptr;     // needed to train
  std::string_view stage = {};  // a mark to be kept beside feature and logits
};

struct GraphAnswer {
  at::Tensor feature, logits, stage;  // a row per input; undefined where there is none
};

class TorchGraph {
 public:
  // `tensors` stand for graph.tensors one by one.
  TorchGraph(Graph graph, std::vector<at::Tensor> tensors);

  [[nodiscard]] const Graph& graph() const { return graph_; }

  [[nodiscard]] const std::vector<at::Tensor>& tensors() const { return tensors_; }

  // Inputs N,C,T,H,W; T is 1 for a network of pictures. Throws Error(data) for a shape that it
  // cannot take.
  [[nodiscard]] GraphAnswer forward(const at::Tensor& inputs, const GraphPass& pass = {}) const;

  // The same answers by fewer and faster steps: batch norms become part of the convolutions before
  // them, channels lie side by side in memory. Not to be trained; its tensors have no names.
  [[nodiscard]] TorchGraph folded() const;

 private:
  Graph graph_;
  std::vector<at::Tensor> tensors_;
  bool packed_ = false;
};

// Tensors of a network that has learned nothing yet; each from a stream of its own name.
std::vector<at::Tensor> started_tensors(const Graph& graph, const Rng& rng);

}  // namespace tyto
