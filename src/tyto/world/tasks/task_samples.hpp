// SPDX-License-Identifier: Apache-2.0
// The samples that tasks are made of: a dataset joined to a list, with a side and a class for each,
// and of videos with segments what is to be shown.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/random.hpp"
#include "tyto/data/join.hpp"
#include "tyto/world/tasks/task_options.hpp"

namespace tyto {

struct TaskSamples {
  Dataset data;                      // every row is shown
  std::vector<Side> side;            // by row; never none
  std::vector<std::string> classes;  // in the order of the list, or by first appearance
  std::vector<Index> listed_task;    // of each class, from 0; empty: no list says
  std::vector<std::string> notes;
};

// Joined by id = video_id, with labels, splits and tasks of the list; of a video with several
// segments each is a sample, called video/1, video/2, ... Where a run has more or fewer frames than
// the list says, bounds are scaled. Throws Error(data) where one side lacks what the other has
// (unless that is left out), a label of the data stands for two classes of the list or the other
// way round, or segments are asked of data without frames.
TaskSamples listed_samples(const Dataset& data, const TaskList& list, Lost lost,
                           const TaskOptions& options, const Rng& rng);

// By the data's own labels and splits, or a split drawn.
TaskSamples plain_samples(const Dataset& data, const TaskOptions& options, const Rng& rng);

// The group of each row: class and number where every id is that of a UCF101 clip
// (v_Class_g01_c01), else the column group; empty: there are none.
std::vector<std::string> sample_groups(const IndexTable& table);

// Rows of test whose group has a row in train too; -1: there are no groups.
Index leaked_tests(const IndexTable& table, const std::vector<Side>& side);

}  // namespace tyto
