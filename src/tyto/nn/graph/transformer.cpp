// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/graph/transformer.hpp"

#include <iterator>
#include <utility>

namespace tyto {

void append(std::vector<GraphTensor>& all, std::vector<GraphTensor> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

std::vector<GraphTensor> attention_tensors(const Chain& chain, std::string_view norm,
                                           std::string_view qkv, std::string_view projection) {
  const Index width = chain.width();
  std::vector<GraphTensor> all = chain.scale_tensors(norm);
  const std::string stem = chain.name(qkv);
  all.push_back({stem + "weight", {3 * width, width}, Start::xavier});
  all.push_back({stem + "bias", {3 * width}});
  append(all, chain.linear_tensors(projection, width, width));
  return all;
}

std::vector<GraphTensor> mlp_tensors(const Chain& chain, const BlockNames& names) {
  const Index width = chain.width();
  std::vector<GraphTensor> all = chain.scale_tensors(names.norm2);
  append(all, chain.linear_tensors(names.fc1, width, 4 * width));
  append(all, chain.linear_tensors(names.fc2, 4 * width, width));
  return all;
}

std::vector<GraphTensor> patch_tensors(const Chain& chain, std::string_view name, Index patch) {
  const std::string stem = chain.name(name);
  return {{stem + ".weight", {chain.width(), 3, patch, patch}, Start::fan_in},
          {stem + ".bias", {chain.width()}}};
}

GraphTensor embedding_tensor(const Chain& chain, std::string_view name, Index rows) {
  return {chain.name(name), {1, rows, chain.width()}, Start::normal, 0.02};
}

Chain& layer_norm(Chain& chain, std::string_view name) {
  return chain.node({LayerNormNode{}, chain.scale_tensors(name)});
}

void end_of_transformer(Chain& chain, std::string_view norm, std::string_view head,
                        const GraphSettings& settings) {
  layer_norm(chain, norm).mark(chain.name(norm)).node({ClassTokenNode{}}).mark("feature");
  if (settings.classes > 0) {
    chain.linear(head, settings.classes).mark("logits");
  }
}

}  // namespace tyto
