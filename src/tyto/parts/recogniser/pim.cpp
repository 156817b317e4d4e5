// SPDX-License-Identifier: Apache-2.0
// Discovery by PIM.
#include "tyto/parts/recogniser/discovery.hpp"

namespace tyto {

PartSpec pim_spec() {
  return discovery_spec(
      "pim", "pim",
      "a linear head of the greatest information, known classes held to their samples, sizes of "
      "groups as the samples have them",
      "O(p g d) time per epoch for p pooled samples and guides in g groups, O(p (d + g)) memory",
      "Chiaroni et al., Parametric Information Maximization for Generalized Category Discovery, "
      "ICCV 2023",
      centroid_model);
}

}  // namespace tyto
