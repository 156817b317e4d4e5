// SPDX-License-Identifier: Apache-2.0
// A classifier that trains a frame encoder with a growing output layer, task after task. A method
// says what it adds: a teacher, anchors, which samples, what happens afterwards.
#pragma once

#include <memory>
#include <vector>

#include "tyto/parts/incremental/clips.hpp"
#include "tyto/parts/incremental/learner_options.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

// What is learned from: the labelled clips to fit on, the remembered ones first.
struct ClipLesson {
  const Experience& experience;
  Clips clips;
  std::vector<std::int64_t> targets;  // the output of each clip
  Index fresh = 0;                    // clips before this one are remembered
  Index old_outputs = 0;              // outputs before this lesson

  [[nodiscard]] bool is_remembered(Index clip) const { return clip < fresh; }
};

class NetworkLearner : public Part, public Classifier {
 public:
  void learn(const Experience& experience, Work& work) override;
  void classify(Evidence& evidence) const override;

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.frames = true;
    return needs;
  }

  [[nodiscard]] bool has_head() const override { return true; }

  [[nodiscard]] bool has_embedding() const override { return true; }

  // By features that are the one frame of a sample; of runs of frames it is refused.
  [[nodiscard]] bool has_gradient() const override { return options_.look == "frames"; }

  [[nodiscard]] Matrix pull_back(const Evidence& evidence, const Matrix& weight) const override;

  [[nodiscard]] LinearHead head() const override;

  void save(State& state) const override;
  void load(const State& state, const Shelf& shelf) override;

 protected:
  // `options` is the method's own and outlives this.
  NetworkLearner(std::string name, const LearnerOptions& options)
      : name_(std::move(name)), options_(options) {}

  // Which remembered clips are learned from again; the others are left aside.
  [[nodiscard]] virtual bool rehearses() const { return true; }

  // Before the outputs grow; the network is that of the lesson before, null in the first one.
  virtual void begin(const ClipLesson&) {}

  // What is minimised, besides what the options say.
  virtual void plan(const ClipLesson&, Training&) {}

  // Trains; the plain way is one fit on all clips.
  virtual void train(const ClipLesson& lesson, const Training& training, Work& work);

  // Adds to a batch of clips whose rows, targets and weights are there.
  virtual void fill(const ClipLesson&, Rows /*clips*/, Batch&) const {}

  virtual void finish(const ClipLesson&, const Training&, Work&) {}  // after the training

  // Logits, as the network gives them for the evidence, become the method's.
  virtual void decide(Evidence&) const {}

  // A method's own state. Nothing was learned where there is no network.
  virtual void save_more(State&) const {}

  virtual void load_more(const State&, const Shelf&) {}

  // Rows, targets, weights, second view, then fill().
  void draw(const ClipLesson& lesson, Rows clips, const Rng& rng, Batch& batch) const;

  [[nodiscard]] DrawBatch draw_from(const ClipLesson& lesson) const;

  // The centre frames of each sample, as the network sees them.
  [[nodiscard]] Matrix rows_of(const Frames& frames) const;

  // Logits of the centre frames of each sample, by the network; the frames' embedding beside them.
  [[nodiscard]] Matrix logits_of(const Frames& frames, Matrix* embedding) const;

  // Trains the network on samples [0, samples) of this draw.
  void fit(Index samples, const DrawBatch& draw, const Training& training, Work& work) {
    net_->fit(samples, draw, training, work);
  }

  [[nodiscard]] const Network* network() const { return net_.get(); }

  [[nodiscard]] const std::vector<Label>& classes() const { return classes_; }

 private:
  [[nodiscard]] ClipLesson lesson_of(const Experience& experience, Index old_outputs) const;
  void check_learned() const;

  std::string name_;
  const LearnerOptions& options_;
  std::unique_ptr<Network> net_;     // null until the first lesson: making it opens the module
  Index width_ = 0;                  // of a frame's features
  std::vector<Label> classes_;       // of the outputs, in the order in which they came
  std::vector<float> class_weight_;  // of each output in this lesson; empty: 1
};

}  // namespace tyto
