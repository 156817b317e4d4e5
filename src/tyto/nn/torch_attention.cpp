// SPDX-License-Identifier: Apache-2.0
// Nodes of transformers: tokens and their places, attention, blocks.
#include <cmath>

#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/upsample_bicubic2d.h>
#include <ATen/ops/upsample_nearest1d.h>
#include <ATen/ops/upsample_nearest2d.h>
#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/nn/torch_layers.hpp"
#include "tyto/nn/torch_tensors.hpp"

namespace tyto {

namespace {

constexpr double kLayerNormEpsilon = 1e-6;

at::Tensor layer_normed(NodeTensors tensors, const at::Tensor& x) {
  return at::layer_norm(x, {x.size(-1)}, tensors[0], tensors[1], kLayerNormEpsilon);
}

// Over the tokens of each row of x (rows, tokens, width); tensors: qkv w b, projection w b.
at::Tensor attended(NodeTensors tensors, Index heads, const at::Tensor& x) {
  const std::int64_t rows = x.size(0);
  const std::int64_t tokens = x.size(1);
  const std::int64_t width = x.size(2);
  const at::Tensor qkv = at::linear(x, tensors[0], tensors[1])
                             .reshape({rows, tokens, 3, heads, width / heads})
                             .permute({2, 0, 3, 1, 4});
  const double scale = 1.0 / std::sqrt(static_cast<double>(width) / static_cast<double>(heads));
  const at::Tensor scores =
      at::matmul(qkv.select(0, 0) * scale, qkv.select(0, 1).transpose(-2, -1));
  const at::Tensor mixed = at::matmul(at::softmax(scores, -1), qkv.select(0, 2));
  return at::linear(mixed.transpose(1, 2).reshape({rows, tokens, width}), tensors[2], tensors[3]);
}

// tensors: norm w b, fc1 w b, fc2 w b
at::Tensor mlp_of(NodeTensors tensors, const at::Tensor& x) {
  const at::Tensor hidden = at::gelu(at::linear(layer_normed(tensors, x), tensors[2], tensors[3]));
  return at::linear(hidden, tensors[4], tensors[5]);
}

// The embedding of every patch of a grid of this height and width: 1,P,D.
at::Tensor patch_positions(Positions rule, const at::Tensor& stored, std::int64_t height,
                           std::int64_t width) {
  const std::int64_t rows = stored.size(1) - 1;
  const at::Tensor patches = stored.slice(1, 1);
  // Counts are compared, not sizes; DINO wants a square besides.
  if (height * width == rows && (rule == Positions::nearest || height == width)) {
    return patches;
  }
  const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(rows))));
  if (rule == Positions::stored || side * side != rows) {
    throw Error(ErrorKind::data,
                fmt::format("there are positions for {} patches and {} x {} were cut", rows, height,
                            width));
  }
  const at::Tensor grid =
      patches.reshape({1, side, side, stored.size(2)}).permute({0, 3, 1, 2}).contiguous();
  at::Tensor sized;
  if (rule == Positions::nearest) {
    sized = at::upsample_nearest2d(grid, {height, width});
  } else {  // a little more than the ratio, so that rounding cannot lose a row
    const auto scale = [&](std::int64_t n) {
      return (static_cast<double>(n) + 0.1) / static_cast<double>(side);
    };
    sized = at::upsample_bicubic2d(grid, {height, width}, false, scale(height), scale(width));
  }
  return sized.flatten(2).transpose(1, 2);
}

}  // namespace

at::Tensor normed_tokens(NodeTensors tensors, const at::Tensor& x) {
  return layer_normed(tensors, x);
}

at::Tensor tokens_of(const TokensNode& node, NodeTensors tensors, const at::Tensor& x,
                     GraphRun& run) {
  const bool clips = x.dim() == 5;
  const std::int64_t batch = x.size(0);
  run.frames = clips ? x.size(2) : 1;
  const at::Tensor pictures = clips ? x.permute({0, 2, 1, 3, 4}).flatten(0, 1) : x;
  const at::Tensor maps =
      at::conv2d(pictures, tensors[node.conv], tensors[node.conv + 1], {node.patch, node.patch});
  const at::Tensor& positions = tensors[node.position_rows];
  at::Tensor patches = maps.flatten(2).transpose(1, 2);  // (N T),P,D
  patches =
      at::add(patches, patch_positions(node.positions, positions, maps.size(2), maps.size(3)));
  if (node.time_rows >= 0) {
    at::Tensor times = tensors[node.time_rows];
    if (times.size(1) != run.frames) {
      times = at::upsample_nearest1d(times.transpose(1, 2), {run.frames}).transpose(1, 2);
    }
    // From frame by frame to patch by patch, time fastest.
    patches = patches.reshape({batch, run.frames, patches.size(1), node.width});
    patches = at::add(patches, times.unsqueeze(2)).transpose(1, 2).flatten(1, 2);
  }
  const at::Tensor first = at::add(tensors[node.class_token], positions.slice(1, 0, 1));
  return at::cat({first.expand({batch, 1, node.width}), patches}, 1);
}

at::Tensor block_of(const BlockNode& node, NodeTensors tensors, const at::Tensor& x,
                    GraphRun& run) {
  const at::Tensor mixed = attended(tensors + 2, node.heads, layer_normed(tensors, x));
  const at::Tensor y = at::add(x, run.dropped(mixed, node.drop_path, true));
  return at::add(y, run.dropped(mlp_of(tensors + 6, y), node.drop_path, true));
}

at::Tensor divided_block_of(const DividedBlockNode& node, NodeTensors tensors, const at::Tensor& x,
                            GraphRun& run) {
  const std::int64_t batch = x.size(0);
  const std::int64_t width = x.size(2);
  const std::int64_t frames = run.frames;
  const std::int64_t patches = (x.size(1) - 1) / frames;
  const at::Tensor first = x.slice(1, 0, 1);
  at::Tensor rest = x.slice(1, 1);

  // Over time, for every patch; the class token stands aside.
  const at::Tensor over_time = rest.reshape({batch * patches, frames, width});
  const at::Tensor timed =
      run.dropped(attended(tensors + 8, node.heads, layer_normed(tensors + 6, over_time)),
                  node.drop_path, true);
  rest = at::add(rest, at::linear(timed, tensors[12], tensors[13]).reshape_as(rest));

  // Over space, for every frame, each with the class token as it was.
  const at::Tensor by_frame =
      rest.reshape({batch, patches, frames, width}).transpose(1, 2).flatten(0, 1);
  const at::Tensor classes =
      first.unsqueeze(1).expand({batch, frames, 1, width}).reshape({batch * frames, 1, width});
  const at::Tensor spaced = run.dropped(
      attended(tensors + 2, node.heads, layer_normed(tensors, at::cat({classes, by_frame}, 1))),
      node.drop_path, true);
  const at::Tensor first_mean = spaced.slice(1, 0, 1).reshape({batch, frames, width}).mean(1, true);
  const at::Tensor rest_added =
      spaced.slice(1, 1).reshape({batch, frames, patches, width}).transpose(1, 2).reshape_as(rest);
  const at::Tensor y = at::cat({at::add(first, first_mean), at::add(rest, rest_added)}, 1);
  return at::add(y, run.dropped(mlp_of(tensors + 14, y), node.drop_path, true));
}

}  // namespace tyto
