// SPDX-License-Identifier: Apache-2.0
// OND: rounds over K known classes and unknown, feedback after a round.
#include <array>

#include "tyto/protocol/registry.hpp"
#include "tyto/protocol/round_protocol.hpp"

namespace tyto {

namespace {

struct OndOptions {
  std::string feedback = "labels";
  bool monotone = true;

  void describe(OptionVisitor& visitor) {
    static constexpr std::array<std::string_view, 4> kKinds{"none", "labels", "detection", "score"};
    visitor.field("feedback", feedback, kKinds,
                  "what is asked for after every round, once novelty is declared: labels of the "
                  "samples the predictor chooses; detection, whether samples drawn at random are "
                  "novel; score, how the answers did");
    visitor.field("monotone", monotone, "p(the world has changed) never falls within a test");
  }
};

// Open novelty detection: the answer is over K known classes and unknown; after a round some
// feedback may be asked for, within the budget of the test.
class Ond final : public RoundProtocol {
 public:
  explicit Ond(OndOptions options)
      : RoundProtocol("ond", "OND", options.monotone), options_(std::move(options)) {}

 protected:
  void hear_back(Exchange& exchange, const Split& split, Work& work) override {
    if (options_.feedback == "labels") {
      ask_for_labels(exchange, split, work);
    } else if (options_.feedback == "detection") {
      ask_what_is_novel(exchange, split, work);
    } else if (options_.feedback == "score") {
      hear_scores(exchange, exchange.world.ask(FeedbackKind::score, split, {}));
    }
  }

 private:
  void ask_for_labels(Exchange& exchange, const Split& split, Work& work) {
    const Index budget = exchange.world.budget(split);
    if (budget <= 0) {
      return;
    }
    Work asking = work.fork("request");
    std::vector<Index> order = exchange.predictor.request(split.samples, budget, asking);
    order.resize(at(std::min<Index>(budget, std::ssize(order))));
    const Feedback told = exchange.world.ask(FeedbackKind::labels, split, order);
    std::vector<Index> rows;
    Lesson lesson;
    for (std::size_t i = 0; i < told.row.size(); ++i) {
      if (!told.name[i].empty()) {  // "some novel class" is no name to learn
        rows.push_back(told.row[i]);
        lesson.names.push_back(told.name[i]);
      }
    }
    if (rows.empty()) {
      return;
    }
    lesson.samples = split.samples.pick(rows);
    Work learning = work.fork("learn");
    exchange.predictor.learn(lesson, learning);
    note_grants(lesson.names);
  }

  // How many of the known samples were called new, by samples that nobody chose.
  static void ask_what_is_novel(Exchange& exchange, const Split& split, Work& work) {
    Rng rng = work.rng.fork("detection");
    const std::vector<Index> order = rng.permutation(split.samples.size());
    const Feedback told = exchange.world.ask(FeedbackKind::detection, split, order);
    if (told.row.empty()) {
      return;
    }
    const Prediction said = exchange.predictor.predict(split.samples.pick(told.row));
    Index known = 0;
    Index alarms = 0;
    for (std::size_t i = 0; i < told.row.size(); ++i) {
      if (told.value[i] < 0.5) {
        ++known;
        alarms += said.space->kind(said.label[i]) == LabelKind::known ? 0 : 1;
      }
    }
    if (known > 0) {
      exchange.predictor.hear(
          {{"false_alarm_rate", static_cast<double>(alarms) / static_cast<double>(known)}});
    }
  }

  static void hear_scores(Exchange& exchange, const Feedback& told) {
    std::map<std::string, double> scores;
    for (std::size_t i = 0; i < told.name.size(); ++i) {
      scores[told.name[i]] = told.value[i];
    }
    if (!scores.empty()) {
      exchange.predictor.hear(scores);
    }
  }

  OndOptions options_;
};

}  // namespace

ProtocolSpec ond_spec() {
  ProtocolSpec spec = protocol_spec<OndOptions, Ond>(
      "ond",
      "tests in rounds: has the world changed, which samples are new, and what is learned from a "
      "little feedback?",
      "the OND protocol of the SAIL-ON evaluation");
  spec.asks_for_labels = false;
  spec.order = {{"system", "given", "ignored"}, {"test"}};
  spec.headline = {
      {"detected", "change noticed",
       "System detection: share of the tests whose change was declared, and not before it came "
       "(M2).",
       "system", "raw", "change_detected"},
      {"too_early", "too early",
       "System detection: share of the tests in which a change was declared before there was one "
       "(M2.1).",
       "system", "raw", "change_early_alarm"},
      {"delay", "noticed after",
       "System detection: samples after the change until it was declared, mean over the tests in "
       "which it was noticed (M1).",
       "system", "raw", "change_detection_delay"},
      {"right_before", "right before",
       "System detection: share of right answers before the change; mean over tests.", "system",
       "raw", "accuracy_before_change"},
      {"right_after", "right after",
       "System detection: share of right answers after the change, where what is new is to be "
       "called unknown or, once feedback has named it, by its name; mean over tests.",
       "system", "raw", "accuracy_after_change"},
      {"right_after_given", "told: after",
       "The same where the moment of the change is told: the difference is what knowing it buys.",
       "given", "raw", "accuracy_after_change"},
      {"right_before_given", "told: before",
       "Share of right answers before the change where its moment is told.", "given", "raw",
       "accuracy_before_change"},
  };
  return spec;
}

}  // namespace tyto
