// SPDX-License-Identifier: Apache-2.0
// A sequence of tasks as the steps of a world: with borders, a task a step; without, so many train
// samples a step, tasks flowing into each other. Either way a step tests on all tasks begun so far,
// in the order of the tasks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tyto/world/increments/increment_world.hpp"
#include "tyto/world/tasks/task_samples.hpp"

namespace tyto {

// What all arms of an experiment share.
struct TaskPlan {
  std::shared_ptr<const IncrementPlan> steps;     // truth with the annotation "task", from "1"
  std::vector<std::vector<std::string>> classes;  // of each task, in the order learned
  std::vector<Index> task;                        // by table row, from 0
  std::vector<Side> side;                         // by table row
  TaskOptions options;
  std::vector<std::string> notes;

  [[nodiscard]] Index tasks() const { return static_cast<Index>(classes.size()); }

  // Samples of each task by split, as kSideNames.
  [[nodiscard]] std::vector<std::array<Index, 3>> counts() const;
};

// Classes by task: as the list has them, or by the options. Throws Error(data) for a task without a
// sample to train on, Error(config) for tasks that do not fit the classes.
std::vector<std::vector<std::string>> deal_classes(const TaskSamples& samples,
                                                   const TaskOptions& options);

std::shared_ptr<const TaskPlan> make_task_plan(TaskSamples samples, const TaskOptions& options,
                                               std::uint64_t seed);

std::unique_ptr<WorldSource> build_tasks(TaskSamples samples, const TaskOptions& options,
                                         std::uint64_t seed);

}  // namespace tyto
