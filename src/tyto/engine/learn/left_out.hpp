// SPDX-License-Identifier: Apache-2.0
// How far a predictor can be trusted: what others of the same making say of samples that they did
// not learn from, and of classes that they never saw.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/engine/learn/lesson_data.hpp"
#include "tyto/predictor/config.hpp"

namespace tyto {

struct EstimatedShare {
  double value = 0, low = 0, high = 0;  // with an interval of 95 %
  Index of = 0;                         // samples
};

struct HardClass {
  std::string name, taken_for;  // "" where it is never taken for another
  double right = 0;
  Index samples = 0;
};

struct LeftOutJudgement {
  std::string how;  // "5 parts left out in turn", ...
  // Of samples whose class was learned.
  std::optional<EstimatedShare> right, called_new, right_if_named;
  std::optional<EstimatedShare> noticed;  // of classes left out altogether: called new
  std::vector<HardClass> hardest;  // least right first, at most three, none that is all right
  std::vector<std::string> notes;
};

struct LeftOutOptions {
  Index folds = 5;           // 0: nothing is judged
  Index most_folded = 4000;  // samples; of more one part is left out, once
  std::uint64_t seed = 1;
};

// By the official test split where there is one; else by folds, whole groups where there are
// enough, else with every class in every part as far as it goes.
LeftOutJudgement judge_left_out(const PredictorConfig& config, const LessonData& data,
                                const LeftOutOptions& options, Progress& progress);

// Of a share of `of` samples, by Wilson; 0 to 1 where there are none.
EstimatedShare wilson_share(Index hits, Index of);

}  // namespace tyto
