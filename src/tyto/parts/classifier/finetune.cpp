// SPDX-License-Identifier: Apache-2.0
// The floor of class-incremental learning: each lesson is trained on alone, whatever it overwrites.
#include "tyto/parts/incremental/network_learner.hpp"

namespace tyto {

namespace {

class Finetune final : public NetworkLearner {
 public:
  explicit Finetune(LearnerOptions options)
      : NetworkLearner("finetune", finetune_), finetune_(std::move(options)) {}

 private:
  [[nodiscard]] bool rehearses() const override { return false; }

  LearnerOptions finetune_;
};

}  // namespace

PartSpec finetune_spec() {
  return part_spec<LearnerOptions, Finetune>(
      "finetune", {Slot::classifier},
      "frame encoder trained on each lesson alone: what is not shown again is overwritten",
      "learning O(epochs n segments weights), predicting O(segments weights) a sample", "",
      "cross entropy over the lesson's samples");
}

}  // namespace tyto
