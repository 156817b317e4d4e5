// SPDX-License-Identifier: Apache-2.0
// What the descriptions of transformers share: tensors of tokens and blocks in two dialects.
#pragma once

#include <string_view>

#include "tyto/nn/graph/chain.hpp"

namespace tyto {

// Names inside a block; qkv with its last dot, if it has one.
struct BlockNames {
  std::string_view norm1, qkv, projection, norm2, fc1, fc2;
};

inline constexpr BlockNames kTorchvisionBlock{
    "ln_1", "self_attention.in_proj_", "self_attention.out_proj", "ln_2", "mlp.0", "mlp.3"};
inline constexpr BlockNames kTimmBlock{"norm1", "attn.qkv.", "attn.proj",
                                       "norm2", "mlp.fc1",   "mlp.fc2"};

// {weight, bias} of norm, qkv and projection: six tensors of an attention layer of the chain's
// width.
std::vector<GraphTensor> attention_tensors(const Chain& chain, std::string_view norm,
                                           std::string_view qkv, std::string_view projection);
std::vector<GraphTensor> mlp_tensors(const Chain& chain, const BlockNames& names);

void append(std::vector<GraphTensor>& all, std::vector<GraphTensor> more);

// The convolution that cuts patches.
std::vector<GraphTensor> patch_tensors(const Chain& chain, std::string_view name, Index patch);

// Rows of an embedding: 1 x rows x width.
GraphTensor embedding_tensor(const Chain& chain, std::string_view name, Index rows);

Chain& layer_norm(Chain& chain, std::string_view name);

// norm, feature, and the head where there are classes.
void end_of_transformer(Chain& chain, std::string_view norm, std::string_view head,
                        const GraphSettings& settings);

}  // namespace tyto
