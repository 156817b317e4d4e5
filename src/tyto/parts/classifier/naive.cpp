// SPDX-License-Identifier: Apache-2.0
// Naive rehearsal: cross-entropy over the lesson and all that is remembered. With an unlimited
// memory and `start: anew` it is joint training, the bound.
#include "tyto/parts/incremental/network_learner.hpp"

namespace tyto {

namespace {

class Naive final : public NetworkLearner {
 public:
  explicit Naive(LearnerOptions options)
      : NetworkLearner("naive", naive_), naive_(std::move(options)) {}

 private:
  LearnerOptions naive_;
};

}  // namespace

PartSpec naive_spec() {
  return part_spec<LearnerOptions, Naive>(
      "naive", {Slot::classifier},
      "frame encoder trained on each lesson together with all that is remembered",
      "learning O(epochs (n + m) segments weights), predicting O(segments weights) a sample",
      "Villa et al., vCLIMB: A Novel Video Class Incremental Learning Benchmark, CVPR 2022",
      "cross entropy over remembered and new samples");
}

}  // namespace tyto
