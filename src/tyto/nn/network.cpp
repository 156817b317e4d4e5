// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/network.hpp"

namespace tyto {

NetworkSettings even_network(Index inputs, Index hidden, Index layers, Index outputs, Join join,
                             double dropout) {
  NetworkSettings settings;
  settings.inputs = inputs;
  settings.encoder.assign(static_cast<std::size_t>(layers), {hidden, join});
  settings.outputs = outputs;
  settings.dropout = dropout;
  return settings;
}

}  // namespace tyto
