// SPDX-License-Identifier: Apache-2.0
// Discovery in a space learned by contrast, and the options of that space.
#include "tyto/parts/recogniser/discovery.hpp"

namespace tyto {

PartSpec gcd_contrastive_spec() {
  return discovery_spec("gcd_contrastive", "gcd_contrastive",
                        "k-means in a space learned by contrast, of views of a sample and of "
                        "labelled samples of one class",
                        "O(p (b + d) h) time per epoch for p pooled samples and guides in batches "
                        "of b, O(p^2 d) once, O(p d) memory",
                        "Vaze et al., Generalized Category Discovery, CVPR 2022", centroid_model);
}

}  // namespace tyto
