// SPDX-License-Identifier: Apache-2.0
// Vision transformers (Dosovitskiy et al. 2021), names of torchvision, or of DINO and timm.
#include <fmt/format.h>

#include "tyto/nn/backbones.hpp"
#include "tyto/nn/graph/transformer.hpp"

namespace tyto {

namespace {

void vit_blocks(Chain& net, const std::string& stem, const BlockNames& names, Index heads) {
  for (int i = 0; i < 12; ++i) {
    const std::string block = fmt::format("{}{}", stem, i);
    const Chain inside = net.branch(block + ".");
    GraphNode node{BlockNode{.heads = heads},
                   attention_tensors(inside, names.norm1, names.qkv, names.projection)};
    append(node.tensors, mlp_tensors(inside, names));
    net.node(std::move(node)).mark(net.name(block));
  }
}

Graph vit_b_16_graph(const GraphSettings& settings) {
  Chain net({.width = 768, .linear_deviation = 0.02});
  const Index grid = settings.grid > 0 ? settings.grid : 14;
  GraphNode tokens{TokensNode{.class_token = 0, .position_rows = 3, .conv = 1}};
  tokens.tensors.push_back(embedding_tensor(net, "class_token", 1));
  append(tokens.tensors, patch_tensors(net, "conv_proj", 16));
  tokens.tensors.push_back(embedding_tensor(net, "encoder.pos_embedding", 1 + grid * grid));
  net.node(std::move(tokens));
  vit_blocks(net, "encoder.layers.encoder_layer_", kTorchvisionBlock, 12);
  end_of_transformer(net, "encoder.ln", "heads.head", settings);
  return std::move(net).graph(2, "heads.head");
}

template <Index kWidth, Index kHeads, Index kPatch>
Graph dino_graph(const GraphSettings& settings) {
  Chain net({.width = kWidth, .linear_deviation = 0.02});
  const Index grid = settings.grid > 0 ? settings.grid : 224 / kPatch;
  GraphNode tokens{TokensNode{.patch = kPatch, .positions = Positions::dino}};
  tokens.tensors = {embedding_tensor(net, "cls_token", 1),
                    embedding_tensor(net, "pos_embed", 1 + grid * grid)};
  append(tokens.tensors, patch_tensors(net, "patch_embed.proj", kPatch));
  net.node(std::move(tokens));
  vit_blocks(net, "blocks.", kTimmBlock, kHeads);
  end_of_transformer(net, "norm", "head", settings);
  return std::move(net).graph(2, "head");
}

BackboneSpec dino(std::string name, Index parameters, Index features,
                  Graph (*graph)(const GraphSettings&)) {
  return {.name = "dino_" + name,
          .summary = "vision transformer without a head, of any picture size; names of DINO, timm",
          .paper = "Caron et al. 2021",
          .recipe = {.resizer = Resizer::pillow_bicubic},
          .input = {},
          .parameters = parameters,
          .features = features,
          .classes = 0,
          .graph = graph};
}

}  // namespace

std::vector<BackboneSpec> vit_backbones() {
  return {
      {.name = "vit_b_16",
       .summary = "vision transformer, patches of 16 x 16; names of torchvision",
       .paper = "Dosovitskiy et al. 2021",
       .recipe = {},
       .input = {},
       .parameters = 86'567'656,
       .features = 768,
       .classes = 1000,
       .graph = vit_b_16_graph},
      dino("vitb16", 85'798'656, 768, dino_graph<768, 12, 16>),
      dino("vitb8", 85'807'872, 768, dino_graph<768, 12, 8>),
      dino("vits16", 21'665'664, 384, dino_graph<384, 6, 16>),
      dino("vits8", 21'670'272, 384, dino_graph<384, 6, 8>),
  };
}

}  // namespace tyto
