// SPDX-License-Identifier: Apache-2.0
// Lessons that leave some labelled samples out in turn: what a predictor that learned one of them
// makes of the others sets a threshold where few samples are held out
// (docs/decisions/0012-thresholds-from-folds.md).
#pragma once

#include <vector>

#include "tyto/predictor/composition/gathered.hpp"
#include "tyto/predictor/composition/held_out.hpp"

namespace tyto {

constexpr Index kMostFolded = 4000;  // labelled samples; with more, enough are held out

struct FoldLesson {
  Index fold = 0;
  Lesson lesson;              // all other folds to fit on, and what is left out held
  Samples left_out;           // those of the fold that count
  std::vector<Label> labels;  // of these
};

// At most `wanted` folds, whole groups where `by_groups` and there are two or more. None where more
// than kMostFolded samples are labelled, fewer than two, or a validation split was given to be what
// the threshold rests on.
std::vector<FoldLesson> fold_lessons(const Gathered& experience, const HeldOut& held_out,
                                     Index wanted, bool by_groups, const Rng& rng);

}  // namespace tyto
