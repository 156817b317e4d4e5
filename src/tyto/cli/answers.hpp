// SPDX-License-Identifier: Apache-2.0
// The answers of `tyto predict`: a CSV row or a JSON object per sample.
#pragma once

#include <ostream>
#include <vector>

#include "tyto/engine/use/feature_input.hpp"
#include "tyto/engine/use/model.hpp"
#include "tyto/predictor/explanation.hpp"

namespace tyto {

struct AnswerFormat {
  bool json = false;
  Index top = 3;
  bool ids = false;   // the input has ids of its own; else its rows are numbered
  bool sets = false;  // the predictor gives sets of classes
};

class AnswerWriter {
 public:
  AnswerWriter(std::ostream& out, AnswerFormat format) : out_(out), format_(format) {}

  void header();
  // One sample, its id and, if it is novel and reasons are wanted, why.
  void write(const std::string& id, const Prediction& prediction, Index row, const WhyNovel* why,
             const ReadyPredictor& model);

 private:
  void write_csv(const std::string& id, const Prediction& prediction, Index row);
  void write_json(const std::string& id, const Prediction& prediction, Index row,
                  const WhyNovel* why, const ReadyPredictor& model);
  void write_reasons(const WhyNovel& why, const ReadyPredictor& model);

  std::ostream& out_;
  AnswerFormat format_;
};

}  // namespace tyto
