// SPDX-License-Identifier: Apache-2.0
// A published list of tasks: which video, or which segment of one, is of which class, task and
// split. Columns split, task, class_name, video_id, and label where the classes are numbered; lists
// of segments add t_start, t_end (seconds), video_frames and fps.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/csv/csv.hpp"

namespace tyto {

struct TaskListRow {
  std::string video;
  Index label = 0;         // of TaskList::classes
  std::string_view split;  // "train", "validate" or "test"
  Index line = 0;          // of the file, for messages
  // Of lists with segments:
  double start_s = 0, end_s = 0;
  Index video_frames = 0;
  double fps = 0;
};

struct TaskList {
  std::string name;                  // of the file, for messages
  std::vector<std::string> classes;  // in the order learned: a label is a place here
  std::vector<Index> task;           // of each class, from 0, ascending
  std::vector<TaskListRow> rows;     // in the order of the file
  bool has_segments = false;

  [[nodiscard]] Index tasks() const { return task.empty() ? 0 : task.back() + 1; }
};

// Throws Error(data) naming file, line, rule and value: a class in two tasks or with two numbers, a
// class that is tested but never trained (its name is spelled otherwise there), numbers that do not
// count the classes in the order of the tasks, a number of a task left out, a video listed twice
// (of segments: in two splits), times that run backwards.
TaskList read_task_list(const CsvTable& csv);
TaskList load_task_list(const std::filesystem::path& file);  // .csv or .csv.gz

}  // namespace tyto
