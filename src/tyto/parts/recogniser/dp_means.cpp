// SPDX-License-Identifier: Apache-2.0
// Discovery by DP-means.
#include "tyto/parts/recogniser/discovery.hpp"

namespace tyto {

PartSpec dp_means_spec() {
  return discovery_spec(
      "dp_means", "dp_means",
      "k-means that opens a group for what is far from all; members by the nearest centre",
      "O(p g d) time per sweep for p pooled samples and guides in g groups, O(p d) memory",
      "Kulis & Jordan, Revisiting k-means, ICML 2012", centroid_model);
}

}  // namespace tyto
