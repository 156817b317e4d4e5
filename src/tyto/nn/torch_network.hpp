// SPDX-License-Identifier: Apache-2.0
// Inside the module only: the network on torch tensors and its autograd.
#pragma once

#include <memory>

#include "tyto/nn/network.hpp"

namespace tyto {

std::unique_ptr<Network> make_torch_network(const NetworkSettings& settings, const Rng& rng);

}  // namespace tyto
