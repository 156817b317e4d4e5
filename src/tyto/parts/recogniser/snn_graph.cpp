// SPDX-License-Identifier: Apache-2.0
// Discovery by the graph of shared nearest neighbours.
#include "tyto/parts/recogniser/discovery.hpp"

namespace tyto {

PartSpec snn_graph_spec() {
  return discovery_spec(
      "snn_graph", "snn_graph",
      "communities of the shared-neighbour graph, as fine as suits the known classes; members by "
      "the nearest member",
      "O(p^2 d) time per batch for p pooled samples and guides, O(p (d + k)) memory",
      "Jarvis & Patrick 1973; Traag et al., From Louvain to Leiden, Scientific Reports 2019",
      nearest_member_model);
}

}  // namespace tyto
