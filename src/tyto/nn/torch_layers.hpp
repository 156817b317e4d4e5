// SPDX-License-Identifier: Apache-2.0
// Inside the module only: what single nodes of a graph do to tensors.
#pragma once

#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "tyto/core/random.hpp"
#include "tyto/nn/graph/graph.hpp"

namespace tyto {

// One evaluation: what nodes need to know beyond their input.
struct GraphRun {
  Index batch = 0;   // inputs; more rows after time was folded
  Index frames = 1;  // of tokens
  bool train = false;
  const Rng* rng = nullptr;
  std::uint64_t drawn = 0;  // masks so far

  // x with a share `rate` silent and the rest enlarged; per row for whole branches.
  at::Tensor dropped(const at::Tensor& x, double rate, bool rows);
};

using NodeTensors = const at::Tensor*;  // those of one node, in its order

at::Tensor convolved(const ConvNode& node, NodeTensors tensors, bool bias, const at::Tensor& x);
at::Tensor pooled(const PoolNode& node, const at::Tensor& x);
at::Tensor adaptively_pooled(const AdaptivePoolNode& node, const at::Tensor& x);
at::Tensor gated(NodeTensors tensors, const at::Tensor& x);
at::Tensor linear(NodeTensors tensors, const at::Tensor& x);  // C is axis 1 of maps
at::Tensor mean_over_positions(const at::Tensor& x, bool keep_axes);

at::Tensor tokens_of(const TokensNode& node, NodeTensors tensors, const at::Tensor& x,
                     GraphRun& run);
at::Tensor normed_tokens(NodeTensors tensors, const at::Tensor& x);
at::Tensor block_of(const BlockNode& node, NodeTensors tensors, const at::Tensor& x, GraphRun& run);
at::Tensor divided_block_of(const DividedBlockNode& node, NodeTensors tensors, const at::Tensor& x,
                            GraphRun& run);

}  // namespace tyto
