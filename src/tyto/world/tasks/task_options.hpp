// SPDX-License-Identifier: Apache-2.0
// How samples become a sequence of tasks, each with classes of its own.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/config.hpp"
#include "tyto/core/options.hpp"
#include "tyto/data/tasks/trimming.hpp"
#include "tyto/world/increments/splits.hpp"
#include "tyto/world/nuisance/shown_nuisance.hpp"

namespace tyto {

struct TaskOptions {
  ConfigNode classes_per_task;  // a number, or one for each task
  Index tasks = 0;              // instead; 0: not said
  ConfigNode first;             // of the first task: half, or a number of classes
  std::string order = "auto";
  Index order_seed = 0;
  std::string test = "test";
  bool group_safe = false;
  std::string groups = "keep";
  SplitOptions split;
  std::string trim = "trimmed";
  double untrimmed_share = 0, untrimmed_share_test = 0;
  Index least_frames = 8;
  bool borders = true;
  Index batch = 100;
  double overlap = 0;
  ShownNuisance nuisance;
  std::string path = "world";  // dotted name of these options, for messages

  void describe(OptionVisitor& visitor);
  // What one key alone cannot tell. Throws Error(config).
  void check() const;

  [[nodiscard]] TrimRule trim_rule() const;

  // Whether the sizes of the tasks are said here; else a list has them, or there are ten.
  [[nodiscard]] bool has_sizes() const;
};

// Classes in each task, all told `classes`. A number of classes per task leaves the rest to the
// last one, a number of tasks gives the odd classes to the first ones. Throws Error(config) where
// they do not add up or a task would have none.
std::vector<Index> task_sizes(const TaskOptions& options, Index classes);

// By `order`; `names` in the order of the list or the data, without repeats.
std::vector<std::string> class_order(const TaskOptions& options, std::vector<std::string> names,
                                     bool is_listed);

}  // namespace tyto
