// SPDX-License-Identifier: Apache-2.0
// A predictor at work on rows that arrive block by block: it answers, learns from labels among them
// and tells when the world has changed. Memory does not grow with the rows answered.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tyto/engine/use/feature_input.hpp"
#include "tyto/engine/use/model.hpp"
#include "tyto/predictor/explanation.hpp"

namespace tyto {

// A decision for no known class.
bool is_novel(const Prediction& prediction, Index row);

struct SessionOptions {
  bool learn = false;    // rows with a label are learned and not answered
  bool observe = false;  // rows that are answered are shown to recogniser and alarm
  bool why = false;
  Index lesson = 10;  // labelled rows learned at a time
};

class PredictionSession {
 public:
  // One sample: its id, the row of the prediction, and why it is novel, if it is and that is
  // wanted.
  using Answer = std::function<void(const std::string& id, const Prediction& prediction, Index row,
                                    const WhyNovel* why)>;
  // Once per change: the row of the input, from 1, at which it is thought to have begun.
  using Changed = std::function<void(Index row, const Change& change)>;

  // Borrows the model.
  PredictionSession(ReadyPredictor& model, SessionOptions options, Answer answer, Changed changed);

  // Rows are answered in order; a lesson comes between the rows before and behind its last one.
  void take(const InputRows& rows);
  void finish();  // learns what is left of a lesson

 private:
  void answer(const InputRows& rows, const std::vector<Index>& which);
  void observe(const Samples& samples, Index first, const std::vector<Index>& which);
  void learn();
  [[nodiscard]] Index row_of(Index watched) const;
  [[nodiscard]] Samples lesson_samples() const;

  ReadyPredictor& model_;
  SessionOptions options_;
  Answer answer_;
  Changed changed_;
  Progress progress_;
  std::optional<NoveltyExplainer> explainer_;  // of the predictor as it is now
  std::vector<Samples> pieces_;                // of the next lesson
  std::vector<std::string> names_;
  Index watched_ = 0;  // since the last lesson
  // Where the rows watched are not one behind another: how many before, row of the input.
  std::vector<std::pair<Index, Index>> breaks_;
  bool told_ = false;
};

}  // namespace tyto

// Example:
//
//   ReadyPredictor model = load_model("trees.npz", {}, Catalog::standard());
//   PredictionSession session(
//       model, {.observe = true},
//       [](const std::string& id, const Prediction& answer, Index row, const WhyNovel*) {
//         std::printf("%s: %s\n", id.c_str(), answer.space->name(answer.label[at(row)]).c_str());
//       },
//       [](Index row, const Change&) { std::printf("something has changed, from row %td\n", row);
//       });
