// SPDX-License-Identifier: Apache-2.0
// Untrimmed videos and the segments in them: what a list of tasks shows of each, by the rules of
// vCLIMB (Villa et al. 2022).
//
//   trimmed    an item per segment, frames [r(start x fps), r(end x fps)) with r rounding half to
//              even, clipped to the video; left out with fewer than `least_frames`
//   untrimmed  an item per video, all of its frames, of the row whose segment is longest (ties: the
//              first); left out if its rows have several classes, or none has any length
#pragma once

#include <string>
#include <vector>

#include "tyto/core/random.hpp"
#include "tyto/data/tasks/task_list.hpp"

namespace tyto {

struct TrimRule {
  // Share of the videos that are shown untrimmed, which are drawn: 0 none, 1 all of them.
  double untrimmed_train = 0, untrimmed_test = 0;  // the second of validate and test
  Index least_frames = 8;
};

struct TaskItem {
  Index row = 0;             // of the list
  Index first = 0, end = 0;  // frames of the video, the second exclusive; of lists without
                             // segments both 0: all there are
  bool untrimmed = false;
};

struct TrimmedList {
  std::vector<TaskItem> items;                    // by row
  Index too_short = 0;                            // segments left out
  Index several_classes = 0, without_length = 0;  // videos left out

  [[nodiscard]] std::vector<std::string> notes() const;  // a sentence for each kind left out
};

// Every row of a list without segments is an item. A pure function of list, rule and stream.
TrimmedList trim_list(const TaskList& list, const TrimRule& rule, const Rng& rng);

}  // namespace tyto
