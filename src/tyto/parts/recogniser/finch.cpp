// SPDX-License-Identifier: Apache-2.0
// Discovery by FINCH.
#include "tyto/parts/recogniser/discovery.hpp"

namespace tyto {

PartSpec finch_spec() {
  return discovery_spec("finch", "finch",
                        "groups by first neighbours, at the level that suits the known classes; "
                        "members by the nearest centre",
                        "O(p^2 d) time per batch for p pooled samples and guides, O(p d) memory",
                        "Sarfraz et al., Efficient Parameter-free Clustering Using First Neighbor "
                        "Relations, CVPR 2019",
                        centroid_model);
}

}  // namespace tyto
