// SPDX-License-Identifier: Apache-2.0
// Novelty detection: normal classes are learned at once, and how new each sample of the other
// splits is goes on record. Thresholds belong to the measures: they read both splits.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/protocol/evaluation.hpp"
#include "tyto/protocol/one_step.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {

namespace {

struct DetectOptions {
  std::vector<std::string> evaluate = {"validate", "test"};
  bool hold_validate = false;

  void describe(OptionVisitor& visitor) {
    static constexpr std::array<std::string_view, 3> kSplits{"train", "validate", "test"};
    visitor.field("evaluate", evaluate, kSplits, "splits that are predicted and recorded");
    visitor.field("hold_validate", hold_validate,
                  "validate samples of normal classes are shown to the predictor as held-out ones "
                  "too; false: it holds out some of train, and a threshold from validate is one "
                  "from samples it never saw");
  }
};

// Phases: 0 teach, 0 detect.
class Detect final : public OneStepProtocol {
 public:
  explicit Detect(DetectOptions options)
      : OneStepProtocol("detect",
                        "what is normal is learned at once; say \"world: {kind: novel_classes}\", "
                        "or protocol: owl"),
        options_(std::move(options)) {}

 private:
  void teach(Exchange& exchange, Work& work) override {
    const Deal& deal = exchange.world.deal();
    Lesson lesson;
    const auto add = [&](std::string_view name, Role role) {
      if (const Split* split = deal.find(name); split != nullptr && !split->samples.empty()) {
        const Feedback told = exchange.world.ask(FeedbackKind::labels, *split, all_rows(*split));
        add_to_lesson(lesson, *split, told, role);
        grants_.add(told.name);
      }
    };
    add("train", Role::fit);
    if (lesson.names.empty()) {
      throw Error(ErrorKind::data, "protocol detect: the world has no sample to train on");
    }
    if (options_.hold_validate) {
      add("validate", Role::hold);
    }
    if (std::find(lesson.roles.begin(), lesson.roles.end(), Role::hold) == lesson.roles.end()) {
      lesson.roles.clear();  // the predictor's own rule decides
    }
    exchange.predictor.learn(lesson, work);
  }

  void evaluate(Exchange& exchange, Work& work) const override {
    const Deal& deal = exchange.world.deal();
    for (const std::string& name : options_.evaluate) {
      const Split* split = deal.find(name);
      if (split != nullptr && !split->samples.empty()) {
        evaluate_split(exchange, {deal.step, "detect", name, 0}, facts(exchange), *split, {}, work);
      }
    }
  }

  DetectOptions options_;
};

}  // namespace

ProtocolSpec detect_spec() {
  ProtocolSpec spec = protocol_spec<DetectOptions, Detect>(
      "detect",
      "novelty detection: learn normal classes at once, then score samples of normal and of novel "
      "classes, thresholds by the novel ones of validate",
      "Feeney et al., NovelCraft: A Dataset for Novelty Detection and Discovery in Open Worlds, "
      "TMLR 2023");
  spec.asks_for_labels = false;
  spec.headline = {
      {"auroc", "AUROC",
       "Chance that a novel test sample scores above a normal one, ties counting half.", "detect",
       "detection", "auroc"},
      {"average_precision", "AP", "Mean precision at each novel test sample.", "detect",
       "detection", "average_precision_novel"},
      {"recall_at_1pct", "recall 1/100",
       "Share of the novel test samples found at the threshold that 1 in 100 normal samples of "
       "validate exceeds.",
       "detect", "detection", "recall_at_1pct"},
      {"false_alarms_at_1pct", "alarms 1/100",
       "Share of the normal test samples with an alarm at that threshold: 0.01 is promised.",
       "detect", "detection", "false_alarms_at_1pct"},
      {"episode_auroc", "episode AUROC",
       "The same as AUROC of whole episodes, by their greatest score.", "detect", "detection",
       "episode_auroc"},
      {"closed_accuracy", "right",
       "Share of the normal test samples whose likeliest class is theirs.", "detect",
       "classification", "closed_accuracy"}};
  spec.order = {{"detect"}, {"train", "validate", "test"}};
  return spec;
}

}  // namespace tyto
