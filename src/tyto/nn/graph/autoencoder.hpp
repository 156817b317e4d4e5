// SPDX-License-Identifier: Apache-2.0
// The autoencoder of small pictures that is known as LSA, without its density estimator (Abati et
// al. 2019): residual blocks, a sigmoid code, transposed convolutions back.
#pragma once

#include "tyto/nn/graph/graph.hpp"

namespace tyto {

struct AutoencoderShape {  // as published for 32 x 32 pictures
  Index side = 32;         // 4 times a power of 2
  Index channels = 3;
  Index width = 32;  // of the first maps; every halving of the side doubles it
  Index hidden = 256;
  Index code = 100;
};

// Marks "code" and "output". Tensors are called encoder.<...> and decoder.<...>. Throws
// Error(config) for a side that it cannot have.
Graph autoencoder_graph(const AutoencoderShape& shape);

}  // namespace tyto
