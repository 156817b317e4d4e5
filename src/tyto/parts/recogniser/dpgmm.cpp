// SPDX-License-Identifier: Apache-2.0
// Discovery by a Dirichlet-process mixture of Gaussians.
#include "tyto/parts/recogniser/discovery.hpp"

namespace tyto {

PartSpec dpgmm_spec() {
  return discovery_spec(
      "dpgmm", "dpgmm", "a Dirichlet process mixture of Gaussians; members by the nearest centre",
      "O(p g d) time per sweep for p pooled samples and guides in g groups, O(p d) memory",
      "Blei & Jordan, Variational Inference for Dirichlet Process Mixtures, Bayesian Analysis 2006",
      centroid_model);
}

}  // namespace tyto
