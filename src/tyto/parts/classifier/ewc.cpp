// SPDX-License-Identifier: Apache-2.0
// Elastic weight consolidation: weights held in proportion to their Fisher information.
#include "tyto/parts/incremental/anchored_learner.hpp"

namespace tyto {

namespace {

struct EwcOptions : AnchoredOptions {
  EwcOptions() : AnchoredOptions(3e3, 30) {}
};

class Ewc final : public AnchoredLearner {
 public:
  explicit Ewc(EwcOptions options)
      : AnchoredLearner("ewc", ewc_,
                        {ImportanceKind::fisher, ImportanceKind::fisher_released, 0.5}),
        ewc_(std::move(options)) {}

 private:
  EwcOptions ewc_;
};

}  // namespace

PartSpec ewc_spec() {
  return part_spec<EwcOptions, Ewc>(
      "ewc", {Slot::classifier},
      "elastic weight consolidation: weights are held in proportion to their Fisher information. "
      "sound: mean of squared gradients of single samples, added up over the lessons about one "
      "anchor, the latest; paper: the same with an anchor for each lesson; released: the square of "
      "a sum of batch gradients",
      "learning O(epochs n segments weights), and as many backward passes as importance_samples; "
      "memory two copies of the weights, in the published forms two for each lesson",
      "Kirkpatrick et al., Overcoming catastrophic forgetting in neural networks, PNAS 2017",
      "cross entropy and strength / 2 sum F (w - w*)^2");
}

}  // namespace tyto
