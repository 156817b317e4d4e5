// SPDX-License-Identifier: Apache-2.0
// A predictor that has learned a table or dataset whole, outside any experiment: `tyto learn`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/engine/learn/left_out.hpp"
#include "tyto/engine/use/model.hpp"

namespace tyto {

struct LearnCall {
  Index folds = 5;  // parts left out in turn to judge by; 0: none
  std::uint64_t seed = 1;
};

struct LearnOutcome {
  ReadyPredictor model;
  std::string predictor;  // its name
  Index samples = 0, unlabelled = 0, features = 0;
  std::vector<std::string> classes;
  bool without_labels = false;
  double accepted_error = 0;
  LeftOutJudgement judged;
  std::vector<std::string> notes;
};

// Samples without a label are left out; where none has one, all are one class. Throws Error that
// names data, predictor and what its parts cannot learn.
LearnOutcome learn_model(const LearnCall& call, const Dataset& dataset,
                         const PredictorConfig& config, Progress& progress);

// A preset for data with two classes or more, another for those with one or none.
std::string_view learn_preset(const Dataset& dataset);

}  // namespace tyto

// Example:
//
//   Progress progress(stderr);
//   const Dataset trees = Catalog::standard().load("trees.csv");
//   const auto config = read_predictor(ConfigNode::scalar(learn_preset(trees)), "here");
//   const LearnOutcome learned = learn_model({}, trees, config, progress);
//   save_model("trees.npz", learned.model);
