// SPDX-License-Identifier: Apache-2.0
// Experience replay: every step takes as many remembered samples as new ones.
#include "tyto/parts/incremental/replay_learner.hpp"

namespace tyto {

namespace {

class Er final : public ReplayLearner {
 public:
  explicit Er(LearnerOptions options) : ReplayLearner("er", er_), er_(std::move(options)) {}

 private:
  LearnerOptions er_;
};

}  // namespace

PartSpec er_spec() {
  return part_spec<LearnerOptions, Er>(
      "er", {Slot::classifier},
      "experience replay: each step takes a batch of new samples and as many remembered ones, "
      "drawn "
      "at random, however few there are",
      "learning O(epochs 2 n segments weights), predicting O(segments weights) a sample",
      "Chaudhry et al., On Tiny Episodic Memories in Continual Learning, 2019",
      "cross entropy, half of it on remembered samples");
}

}  // namespace tyto
