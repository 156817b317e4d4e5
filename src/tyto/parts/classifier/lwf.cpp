// SPDX-License-Identifier: Apache-2.0
// Learning without forgetting: the new network keeps the old one's answers on the new samples.
#include "tyto/parts/incremental/network_learner.hpp"
#include "tyto/parts/incremental/teacher.hpp"

namespace tyto {

namespace {

struct LwfOptions : LearnerOptions {
  double strength = 1.0, temperature = 2.0;

  void describe(OptionVisitor& visitor) override {
    LearnerOptions::describe(visitor);
    visitor.field("strength", strength, {0, 1e6}, "weight of the distillation");
    visitor.field("temperature", temperature, {0.01, 100}, "at which answers are compared");
  }
};

class Lwf final : public NetworkLearner {
 public:
  explicit Lwf(LwfOptions options) : NetworkLearner("lwf", lwf_), lwf_(std::move(options)) {}

 private:
  [[nodiscard]] bool rehearses() const override { return false; }

  void begin(const ClipLesson&) override { teacher_.take(network()); }

  void plan(const ClipLesson&, Training& training) override {
    training.objective.distil = {lwf_.strength, DistilKind::softmax, lwf_.temperature};
  }

  void fill(const ClipLesson&, Rows, Batch& batch) const override {
    if (teacher_.is_there()) {
      batch.soft = teacher_.logits(batch.rows, lwf_.segments);
    }
  }

  void finish(const ClipLesson&, const Training&, Work&) override { teacher_.leave(); }

  LwfOptions lwf_;
  Teacher teacher_;
};

}  // namespace

PartSpec lwf_spec() {
  return part_spec<LwfOptions, Lwf>(
      "lwf", {Slot::classifier},
      "learning without forgetting: what the network said of the new samples before the lesson is "
      "distilled into it; no sample is kept",
      "as finetune, a third more for the teacher's answers; two networks in a lesson",
      "Li and Hoiem, Learning without Forgetting, ECCV 2016",
      "cross entropy and strength x distillation over the old classes");
}

}  // namespace tyto
