// SPDX-License-Identifier: Apache-2.0
// What a predictor answers for a batch: a row per sample, a column per entry of its label space.
#pragma once

#include <memory>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

struct Prediction {
  std::shared_ptr<const LabelSpace> space;
  Matrix probability;          // the belief; rows sum to 1
  std::vector<Label> label;    // the decision: novel or not first, then which
  std::vector<float> novelty;  // higher is newer, any scale
  std::vector<float> p_value;  // chance of such a novelty if the sample were of a known class
  Matrix logits, embedding;    // empty unless asked for
};

}  // namespace tyto
