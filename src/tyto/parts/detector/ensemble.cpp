// SPDX-License-Identifier: Apache-2.0
// The average of several detectors, each brought to a common scale.
#include "tyto/parts/detector/score_fusion.hpp"

namespace tyto {

namespace {

struct EnsembleOptions : FusionOptions {
  EnsembleOptions() : FusionOptions("[{name: knn, k: 1}, mahalanobis, max_logit]", "scores") {}
};

}  // namespace

PartSpec ensemble_spec() {
  return nesting_part_spec<EnsembleOptions, ScoreFusion>(
      "ensemble", {Slot::detector}, "the average of several detectors, each on a common scale",
      "that of its detectors, O(log h) a score besides, O(h) memory, h the held-out samples");
}

}  // namespace tyto
