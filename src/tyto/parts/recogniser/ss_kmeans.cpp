// SPDX-License-Identifier: Apache-2.0
// Discovery by semi-supervised k-means.
#include "tyto/parts/recogniser/discovery.hpp"

namespace tyto {

PartSpec ss_kmeans_spec() {
  return discovery_spec(
      "ss_kmeans", "ss_kmeans",
      "k-means with the known classes pinned and their number of companions estimated from them; "
      "members by the nearest centre",
      "O(p g d) time per sweep for p pooled samples and guides in g groups, O(p d) memory",
      "Vaze et al., Generalized Category Discovery, CVPR 2022", centroid_model);
}

}  // namespace tyto
