// SPDX-License-Identifier: Apache-2.0
// Memory aware synapses: weights held in proportion to how much the outputs hang on them.
#include "tyto/parts/incremental/anchored_learner.hpp"

namespace tyto {

namespace {

struct MasOptions : AnchoredOptions {
  MasOptions() : AnchoredOptions(1.0, 20) {}
};

class Mas final : public AnchoredLearner {
 public:
  explicit Mas(MasOptions options)
      : AnchoredLearner("mas", mas_, {ImportanceKind::mas, ImportanceKind::mas_released, 1.0}),
        mas_(std::move(options)) {}

 private:
  MasOptions mas_;
};

}  // namespace

PartSpec mas_spec() {
  return part_spec<MasOptions, Mas>(
      "mas", {Slot::classifier},
      "memory aware synapses: weights are held in proportion to how much the outputs hang on them. "
      "sound: mean over samples of |gradient of the squared length of the outputs|, added up over "
      "the lessons; paper: the same with an anchor for each lesson; released: signs cancel, since "
      "the absolute value is taken of a sum over batches. The paper's strength is 3e5",
      "as ewc", "Aljundi et al., Memory Aware Synapses: Learning what (not) to forget, ECCV 2018",
      "cross entropy and strength sum omega (w - w*)^2");
}

}  // namespace tyto
