// SPDX-License-Identifier: Apache-2.0
// TimeSformer with divided space-time attention (Bertasius et al. 2021), names of its authors.
#include <fmt/format.h>

#include "tyto/nn/backbones.hpp"
#include "tyto/nn/graph/transformer.hpp"

namespace tyto {

namespace {

constexpr int kBlocks = 12;
constexpr double kDropPath = 0.1;  // of the last block; from 0 in the first

Graph timesformer_graph(const GraphSettings& settings) {
  Chain net({.axes = 3, .width = 768, .prefix = "model.", .linear_deviation = 0.02});
  const Index grid = settings.grid > 0 ? settings.grid : 14;
  GraphNode tokens{TokensNode{.positions = Positions::nearest, .time_rows = 2, .conv = 3}};
  tokens.tensors = {embedding_tensor(net, "cls_token", 1),
                    embedding_tensor(net, "pos_embed", 1 + grid * grid),
                    embedding_tensor(net, "time_embed", settings.frames > 0 ? settings.frames : 8)};
  append(tokens.tensors, patch_tensors(net, "patch_embed.proj", 16));
  net.node(std::move(tokens));
  for (int i = 0; i < kBlocks; ++i) {
    const std::string block = fmt::format("blocks.{}", i);
    const Chain inside = net.branch(block + ".");
    GraphNode node{DividedBlockNode{.heads = 12, .drop_path = kDropPath * i / (kBlocks - 1)},
                   attention_tensors(inside, "norm1", "attn.qkv.", "attn.proj")};
    append(node.tensors,
           attention_tensors(inside, "temporal_norm1", "temporal_attn.qkv.", "temporal_attn.proj"));
    std::vector<GraphTensor> after = inside.linear_tensors("temporal_fc", 768, 768);
    after.front().start = Start::zero;  // an image network at first
    append(node.tensors, std::move(after));
    append(node.tensors, mlp_tensors(inside, kTimmBlock));
    net.node(std::move(node)).mark(net.name(block));
  }
  end_of_transformer(net, "norm", "head", settings);
  return std::move(net).graph(3, "model.head");
}

}  // namespace

std::vector<BackboneSpec> timesformer_backbones() {
  return {{.name = "timesformer",
           .summary = "attention over time, then over space; names of its authors",
           .paper = "Bertasius et al. 2021",
           .recipe = {.resizer = Resizer::torch_bilinear,
                      .crop_rounding = CropRounding::ceil,
                      .mean = {0.45F, 0.45F, 0.45F},
                      .deviation = {0.225F, 0.225F, 0.225F},
                      .sampling = "spread",
                      .frames = 8,
                      .stride = 32,
                      .clips = 1},
           .input = {.frames = 8},
           .parameters = 121'566'352,
           .features = 768,
           .classes = 400,
           .graph = timesformer_graph}};
}

}  // namespace tyto
