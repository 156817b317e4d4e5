// SPDX-License-Identifier: Apache-2.0
// Inside the module only: a described graph, taught by itself.
#pragma once

#include <memory>

#include "tyto/core/random.hpp"
#include "tyto/nn/graph_network.hpp"

namespace tyto {

std::unique_ptr<GraphNetwork> make_torch_graph_network(const GraphNetworkSettings& settings,
                                                       const Rng& rng);

}  // namespace tyto
