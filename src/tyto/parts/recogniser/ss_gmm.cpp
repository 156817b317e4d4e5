// SPDX-License-Identifier: Apache-2.0
// Discovery by a semi-supervised Gaussian mixture.
#include "tyto/parts/recogniser/discovery.hpp"

namespace tyto {

PartSpec ss_gmm_spec() {
  return discovery_spec(
      "ss_gmm", "ss_gmm",
      "a mixture of Gaussians with the known classes pinned to components of their own",
      "O(p g d) time per iteration for p pooled samples and guides in g groups, O(p d) memory",
      "Feeney et al., NovelCraft: A Dataset for Novelty Detection and Discovery in Open Worlds, "
      "TMLR 2023",
      centroid_model);
}

}  // namespace tyto
