// SPDX-License-Identifier: Apache-2.0
// Inside the module only: the network on torch tensors and its autograd.
#pragma once

#include <memory>

#include "tyto/nn/mlp.hpp"

namespace tyto {

std::unique_ptr<Mlp> make_torch_mlp(const MlpSettings& settings, const Rng& rng);

}  // namespace tyto
