// SPDX-License-Identifier: Apache-2.0
// Which tensor of a file is which of a network: prefixes of wrappers, other spellings, other heads.
#pragma once

#include <span>
#include <vector>

#include "tyto/nn/backbones.hpp"
#include "tyto/nn/tensors/tensor_file.hpp"

namespace tyto {

struct MatchedWeights {
  Graph graph;  // with the head, grid and time rows that the file has
  // For each of graph.tensors its values, in the file or in `made`.
  std::vector<std::span<const float>> values;
  std::vector<std::vector<float>> made;
};

// Takes num_batches_tracked and foreign split_bn for nothing, a head of another width as it is, and
// no head for a network without classes. The file must outlive the answer. Throws Error(data)
// naming the first three tensors that are missing, unexpected or of another shape, and the network
// that would fit.
MatchedWeights match_weights(const BackboneSpec& spec, const TensorFile& file);

}  // namespace tyto
