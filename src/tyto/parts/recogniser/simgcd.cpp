// SPDX-License-Identifier: Apache-2.0
// Discovery by SimGCD, in the features or in a space learned by contrast.
#include "tyto/parts/recogniser/discovery.hpp"

namespace tyto {

PartSpec simgcd_spec() {
  return discovery_spec("simgcd", "simgcd",
                        "prototypes that learn from their own sharper answers about neighbours of "
                        "a sample, known classes from their samples",
                        "O(p g d) time per epoch for p pooled samples and guides in g groups, "
                        "O(p^2 d) once, O(p d) memory",
                        "Wen et al., Parametric Classification for Generalized Category Discovery: "
                        "A Baseline Study, ICCV 2023",
                        centroid_model);
}

}  // namespace tyto
