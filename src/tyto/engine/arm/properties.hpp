// SPDX-License-Identifier: Apache-2.0
// The seven properties by which predictors are compared like with like (KOWL-718), measured where
// they can be. Seconds are in times.csv, the one file that differs from run to run; here are the
// sizes that they are of.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/state.hpp"
#include "tyto/engine/arm/parameters.hpp"
#include "tyto/predictor/config.hpp"
#include "tyto/predictor/notes.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

// Samples of the calls since the update before.
struct CallSizes {
  Index learned = 0, predicted = 0;
};

class Properties {
 public:
  // After each step: `state` is the predictor's, as it goes into the checkpoint.
  void add(Index step, const Notes& notes, const LabelSpace& space, const State& state,
           const CallSizes& sizes);

  void save(State& state) const;
  void load(const State& state);

  // JSON object.
  [[nodiscard]] std::string to_json(const PredictorConfig& config,
                                    const std::string& prior_knowledge) const;

 private:
  std::vector<std::int64_t> step_, model_bytes_, memory_bytes_, remembered_, classes_, discovered_;
  std::vector<std::int64_t> kept_samples_, kept_frames_, kept_bytes_;  // wherever they are kept
  std::vector<std::int64_t> frames_shown_;                             // in lessons
  std::vector<std::int64_t> parameters_, parameters_changed_, learned_, predicted_;
  std::vector<std::string> representation_;  // chosen; empty where nothing was to be chosen
  ParameterRows last_;
};

// Bytes of all numbers and texts in a state.
std::int64_t state_bytes(const State& state);

}  // namespace tyto
