// SPDX-License-Identifier: Apache-2.0
// What a predictor answers for a batch: a row per sample, a column per entry of its label space.
#pragma once

#include <memory>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

struct Ask {  // for what a prediction holds on request only
  bool logits = false, embedding = false, log_known = false;
  bool epochs = false;  // by_epoch
};

// How sure the likeliest known class was after the epochs of a calibrator's training. The class is
// the same at all of them.
struct ByEpoch {
  std::vector<Index> epoch;   // 0: before the first; empty where no calibrator trains
  Matrix confidence;          // a row per sample, a column per epoch
  std::vector<float> native;  // of the classifier itself
};

struct Prediction {
  std::shared_ptr<const LabelSpace> space;
  Matrix probability;          // the belief; rows sum to 1
  std::vector<Label> label;    // the decision: novel or not first, then which
  std::vector<float> novelty;  // higher is newer, any scale
  std::vector<float> p_value;  // chance of such a novelty if the sample were of a known class
  Matrix logits, embedding;    // empty unless asked for
  // The belief given that the sample is of a known class, as log probabilities: a column per entry
  // of `known`. Empty unless asked for.
  Matrix log_known;
  std::vector<Label> known;
  std::vector<float> temperature;  // of a calibrator that gives each sample its own; with log_known
  ByEpoch by_epoch;                // on request
  // Where the predictor was told to give them: known classes, the likeliest first, among which is
  // the true one with probability `set_promise`, if the sample is known.
  std::vector<std::vector<Label>> sets;
  double set_promise = 0;
};

}  // namespace tyto

// Example:
//
//   const auto decision = [](const Prediction& answer, Index row) {
//     return answer.space->name(answer.label[at(row)]);
//   };
