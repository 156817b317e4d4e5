// SPDX-License-Identifier: Apache-2.0
// One network asked many times, with other hidden units silent each time.
#include <utility>

#include "tyto/parts/detector/mean_belief.hpp"
#include "tyto/parts/incremental/network_learner.hpp"

namespace tyto {

namespace {

struct McDropoutOptions : LearnerOptions {
  Index passes = 30;

  McDropoutOptions() {
    segments = 1;
    layers = 1;  // after a trunk too: its own dropout stays silent in prediction
  }

  void describe(OptionVisitor& visitor) override {
    visitor.field("passes", passes, {1, 1e4},
                  "thinned networks whose beliefs are averaged; the same ones for every sample");
    LearnerOptions::describe(visitor);
  }
};

// Masks come from a stream of the pass alone, so that a sample has one score, whenever it is asked
// for and beside whatever others.
class McDropout final : public NetworkLearner, public Detector {
 public:
  explicit McDropout(McDropoutOptions options)
      : NetworkLearner("mc_dropout", mc_), mc_(std::move(options)) {
    if (mc_.layers == 0) {
      throw Error(ErrorKind::config,
                  "mc_dropout.layers: without a hidden layer nothing can be silent; at least 1");
    }
  }

  void learn(const Experience& experience, Work& work) override {
    NetworkLearner::learn(experience, work);
    learned_ = true;
  }

  void profile(const Experience& experience, Work& work) override {
    if (!std::exchange(learned_, false)) {  // else it is the classifier, which comes first
      NetworkLearner::learn(experience, work);
    }
  }

  void detect(Evidence& evidence) const override {
    if (evidence.classifier == static_cast<const Classifier*>(this)) {
      evidence.novelty = doubt(evidence.logits, evidence.classes, "detector mc_dropout");
      return;
    }
    if (network() == nullptr) {
      throw Error(ErrorKind::state, "detector mc_dropout has seen no labelled sample to fit on");
    }
    evidence.novelty.clear();
    if (evidence.size() > 0) {
      evidence.novelty = doubt(belief(evidence.frames), classes(), "detector mc_dropout");
    }
  }

 private:
  // What it gives is no linear layer of the embedding, nor is it derived.
  [[nodiscard]] bool has_head() const override { return false; }

  [[nodiscard]] bool has_gradient() const override { return false; }

  void decide(Evidence& evidence) const override { evidence.logits = belief(evidence.frames); }

  [[nodiscard]] Matrix belief(const Frames& frames) const {
    const Matrix rows = rows_of(frames);
    MeanBelief mean;
    for (Index pass = 0; pass < mc_.passes; ++pass) {
      mean.add(network()->forward_thinned(rows, mc_.segments,
                                          Rng(0, "mc_dropout", static_cast<std::uint64_t>(pass))));
    }
    return mean.log_probability();
  }

  McDropoutOptions mc_;
  bool learned_ = false;  // in this lesson, as the classifier
};

}  // namespace

PartSpec mc_dropout_spec() {
  return part_spec<McDropoutOptions, McDropout>(
      "mc_dropout", {Slot::classifier, Slot::detector},
      "the mean belief of a network with ever other hidden units silent",
      "learning O(epochs (n + m) segments weights), predicting O(passes segments weights) a sample",
      "Gal & Ghahramani, Dropout as a Bayesian Approximation, ICML 2016",
      "cross entropy over remembered and new samples, with dropout");
}

}  // namespace tyto
