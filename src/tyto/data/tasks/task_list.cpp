// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/tasks/task_list.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/data/split_word.hpp"

namespace tyto {

namespace {

struct ListedClass {
  std::string name;
  Index task = 0;
  std::optional<Index> number;  // as the column label has it
  Index line = 0;               // where it stands first
  bool is_trained = false;
};

class TaskListReader {
 public:
  explicit TaskListReader(const CsvTable& csv)
      : csv_(csv),
        split_(csv.column("split")),
        class_(csv.column("class_name")),
        video_(csv.column("video_id")),
        task_(csv.counts(csv.column("task"))) {
    list_.name = csv.name();
    if (const auto label = csv.find("label")) {
      label_ = csv.counts(*label);
    }
    if (csv.find("t_start") || csv.find("t_end")) {
      list_.has_segments = true;
      start_ = csv.column("t_start");
      end_ = csv.column("t_end");
      fps_ = csv.column("fps");
      frames_ = csv.counts(csv.column("video_frames"));
    }
  }

  TaskList read() {
    if (csv_.rows() == 0) {
      throw Error(ErrorKind::data, fmt::format("{}: the list of tasks has no row", list_.name));
    }
    for (Index row = 0; row < csv_.rows(); ++row) {
      TaskListRow& out = list_.rows.emplace_back();
      out.line = csv_.line(row);
      out.split = split_of(row);
      out.video = text(row, video_);
      out.label = class_of(row, out.split == "train");
      if (list_.has_segments) {
        read_segment(row, out);
      }
      check_repeat(out);
    }
    order_classes();
    return std::move(list_);
  }

 private:
  [[nodiscard]] std::string text(Index row, Index column) const {
    const std::string_view cell = csv_.text(row, column);
    if (cell.empty()) {
      throw Error(ErrorKind::data, fmt::format("{} is empty", csv_.place(row, column)));
    }
    return std::string(cell);
  }

  [[nodiscard]] std::string_view split_of(Index row) const {
    const std::string_view word = canonical_split(csv_.text(row, split_));
    for (const std::string_view lasting : {"train", "validate", "test"}) {  // longer than the file
      if (word == lasting) {
        return lasting;
      }
    }
    throw Error(ErrorKind::data, fmt::format("{} is \"{}\", which is none of train, val, test",
                                             csv_.place(row, split_), csv_.text(row, split_)));
  }

  // A place in classes_, by first appearance.
  Index class_of(Index row, bool trains) {
    const std::string name = text(row, class_);
    const auto [entry, is_new] = place_.try_emplace(name, std::ssize(classes_));
    if (is_new) {
      ListedClass& made = classes_.emplace_back();
      made.name = name;
      made.task = task_[at(row)];
      made.line = csv_.line(row);
      if (!label_.empty()) {
        made.number = label_[at(row)];
      }
    }
    ListedClass& known = classes_[at(entry->second)];
    if (known.task != task_[at(row)]) {
      throw Error(
          ErrorKind::data,
          fmt::format("{}: class \"{}\" is of task {} at line {} and of task {} at line {}; "
                      "a class is learned in one task",
                      list_.name, name, known.task, known.line, task_[at(row)], csv_.line(row)));
    }
    if (!label_.empty() && *known.number != label_[at(row)]) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: class \"{}\" has label {} at line {} and {} at line {}; the "
                              "splits must count the classes in one order",
                              list_.name, name, *known.number, known.line, label_[at(row)],
                              csv_.line(row)));
    }
    known.is_trained = known.is_trained || trains;
    return entry->second;
  }

  void read_segment(Index row, TaskListRow& out) const {
    out.start_s = csv_.number(row, start_);
    out.end_s = csv_.number(row, end_);
    out.fps = csv_.number(row, fps_);
    out.video_frames = frames_[at(row)];
    if (!(out.start_s >= 0 && out.end_s >= out.start_s)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: line {}: a segment of \"{}\" from {} to {} seconds", list_.name,
                              out.line, out.video, out.start_s, out.end_s));
    }
    if (!(out.fps > 0) || out.video_frames == 0) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: line {}: \"{}\" has {} frames at {} a second", list_.name,
                              out.line, out.video, out.video_frames, out.fps));
    }
  }

  void check_repeat(const TaskListRow& row) {
    const auto [entry, is_new] = first_.try_emplace(row.video, list_.rows.size() - 1);
    if (is_new) {
      return;
    }
    const TaskListRow& first = list_.rows[entry->second];
    if (!list_.has_segments) {
      throw Error(ErrorKind::data, fmt::format("{}: video \"{}\" stands at line {} and again at "
                                               "line {}",
                                               list_.name, row.video, first.line, row.line));
    }
    if (first.split != row.split) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: video \"{}\" is in {} at line {} and in {} at line {}; a video "
                              "is on one side",
                              list_.name, row.video, first.split, first.line, row.split, row.line));
    }
    if (first.video_frames != row.video_frames || first.fps != row.fps) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: video \"{}\" has {} frames at {} a second at line {}, and {} at "
                              "{} at line {}",
                              list_.name, row.video, first.video_frames, first.fps, first.line,
                              row.video_frames, row.fps, row.line));
    }
  }

  void order_classes() {
    check_trained();
    std::vector<Index> order(classes_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = static_cast<Index>(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      const ListedClass& x = classes_[at(a)];
      const ListedClass& y = classes_[at(b)];
      return std::pair(x.task, x.number.value_or(0)) < std::pair(y.task, y.number.value_or(0));
    });
    std::vector<Index> label(classes_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const ListedClass& one = classes_[at(order[i])];
      const auto place = static_cast<Index>(i);
      if (one.number && *one.number != place) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: line {}: class \"{}\" of task {} has label {} and should have "
                                "{}: labels count the classes from 0 in the order of the tasks",
                                list_.name, one.line, one.name, one.task, *one.number, place));
      }
      const Index before = list_.task.empty() ? -1 : list_.task.back();
      if (one.task > before + 1) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: line {} is of task {}, but no line is of task {}", list_.name,
                                one.line, one.task, before + 1));
      }
      label[at(order[i])] = place;
      list_.classes.push_back(one.name);
      list_.task.push_back(one.task);
    }
    for (TaskListRow& row : list_.rows) {
      row.label = label[at(row.label)];
    }
  }

  void check_trained() const {
    std::vector<std::string> trained;
    for (const ListedClass& one : classes_) {
      if (one.is_trained) {
        trained.push_back(one.name);
      }
    }
    for (const ListedClass& one : classes_) {
      if (!one.is_trained) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: line {}: class \"{}\" has no row in train{}", list_.name,
                                one.line, one.name, did_you_mean(one.name, trained)));
      }
    }
  }

  const CsvTable& csv_;
  Index split_, class_, video_, start_ = 0, end_ = 0, fps_ = 0;
  std::vector<Index> task_, label_, frames_;
  std::map<std::string, Index> place_;
  std::vector<ListedClass> classes_;
  std::map<std::string, std::size_t> first_;  // row of each video
  TaskList list_;
};

}  // namespace

TaskList read_task_list(const CsvTable& csv) {
  return TaskListReader(csv).read();
}

TaskList load_task_list(const std::filesystem::path& file) {
  return read_task_list(CsvTable::load(file));
}

}  // namespace tyto
