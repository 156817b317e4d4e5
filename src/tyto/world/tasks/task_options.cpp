// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/tasks/task_options.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr Index kStandardTasks = 10;

[[noreturn]] void refuse_sizes(const TaskOptions& options, const ConfigNode& node,
                               std::string_view key, std::string_view what) {
  const std::string place = node.place();
  throw Error(ErrorKind::config, fmt::format("{}{}{}.{}: {}", place, place.empty() ? "" : ": ",
                                             options.path, key, what));
}

Index class_count(const TaskOptions& options, const ConfigNode& node, std::string_view key) {
  const auto number = node.kind == ConfigNode::Kind::scalar && !node.quoted
                          ? number_in<Index>(node.text)
                          : std::nullopt;
  if (!number || *number < 1) {
    refuse_sizes(
        options, node, key,
        fmt::format("\"{}\" is no number of classes, which is whole and at least 1", node.text));
  }
  return *number;
}

std::vector<Index> listed_sizes(const TaskOptions& options) {
  std::vector<Index> sizes;
  for (const ConfigNode& item : options.classes_per_task.items) {
    sizes.push_back(class_count(options, item, "classes_per_task"));
  }
  return sizes;
}

Index first_size(const TaskOptions& options, Index classes) {
  if (options.first.is_null()) {
    return 0;
  }
  return options.first.text == "half" ? (classes + 1) / 2
                                      : class_count(options, options.first, "first");
}

}  // namespace

void TaskOptions::describe(OptionVisitor& visitor) {
  static constexpr std::string_view kOrders[] = {"auto", "seed", "file", "alphabetic"};
  static constexpr std::string_view kTests[] = {"test", "validate"};
  static constexpr std::string_view kKeepGroups[] = {"keep", "ignore"};
  static constexpr std::string_view kTrims[] = {"trimmed", "untrimmed"};
  visitor.field("classes_per_task", classes_per_task,
                "a number, the last task having the rest; or a list with one for each task");
  visitor.field(
      "tasks", tasks, {0, 1e5},
      "instead, so many tasks, as equal as possible, odd classes in the first ones; 0: as "
      "the list of tasks has them, or ten");
  visitor.field("first", first,
                "classes of the first task, half of all or a number; the others are dealt as the "
                "two keys above say");
  visitor.field("order", order, kOrders,
                "of the classes. seed: drawn by order_seed; file: as in the list of tasks, else by "
                "first appearance in the data; auto: file where there is a list, else seed");
  visitor.field("order_seed", order_seed, {0, 1e15},
                "of the class order alone, so that it stays while the seed of the run varies");
  visitor.field("test", test, kTests,
                "which split tests; validate: where there is no test split, as in ActivityNet");
  visitor.field("group_safe", group_safe,
                "part the samples anew by whole groups, in the same shares; false: the split as "
                "it is published, whose leak the notes tell");
  visitor.section(
      "split", [this](OptionVisitor& inner) { split.describe(inner); },
      "for data without a column split");
  visitor.field("groups", groups, kKeepGroups,
                "of a split drawn here; keep: a group is never on two sides");
  visitor.field("trim", trim, kTrims,
                "of videos with segments. trimmed: the frames of a segment alone; untrimmed: all "
                "frames of the video");
  visitor.field("untrimmed_share", untrimmed_share, {0, 1},
                "share of the train videos shown untrimmed though the others are trimmed");
  visitor.field("untrimmed_share_test", untrimmed_share_test, {0, 1},
                "the same for validate and test");
  visitor.field("least_frames", least_frames, {1, 1e6},
                "segments of a list that keep fewer are left out");
  visitor.field("borders", borders,
                "false: train samples come `batch` a step, and no step tells where a task ends");
  visitor.field("batch", batch, {1, 1e6}, "train samples a step, without borders");
  visitor.field("overlap", overlap, {0, 1},
                "how far tasks flow into each other, without borders: a sample comes up to this "
                "share of its task too early or too late");
  nuisance.describe(visitor);
}

void TaskOptions::check() const {
  split.check(fmt::format("{}.split", path));
  if (tasks > 0 && !classes_per_task.is_null()) {
    refuse_sizes(*this, classes_per_task, "classes_per_task",
                 fmt::format("stands beside tasks: {}; one of them says it all", tasks));
  }
  if (classes_per_task.kind == ConfigNode::Kind::list) {
    listed_sizes(*this);
    if (!first.is_null()) {
      refuse_sizes(*this, first, "first", "classes_per_task lists every task, the first one too");
    }
  } else if (!classes_per_task.is_null()) {
    class_count(*this, classes_per_task, "classes_per_task");
  }
  if (!first.is_null() && first.text != "half") {
    class_count(*this, first, "first");
  }
  if (trim == "untrimmed" && (untrimmed_share > 0 || untrimmed_share_test > 0)) {
    throw Error(ErrorKind::config,
                fmt::format("{}.untrimmed_share: with trim: untrimmed all videos are untrimmed; a "
                            "share of them is for trim: trimmed",
                            path));
  }
  if (borders && overlap > 0) {
    throw Error(
        ErrorKind::config,
        fmt::format("{}.overlap: tasks with borders do not overlap; say borders: false", path));
  }
}

TrimRule TaskOptions::trim_rule() const {
  const bool all = trim == "untrimmed";
  return {all ? 1 : untrimmed_share, all ? 1 : untrimmed_share_test, least_frames};
}

bool TaskOptions::has_sizes() const {
  return tasks > 0 || !classes_per_task.is_null() || !first.is_null();
}

std::vector<Index> task_sizes(const TaskOptions& options, Index classes) {
  if (options.classes_per_task.kind == ConfigNode::Kind::list) {
    std::vector<Index> sizes = listed_sizes(options);
    const Index sum = std::accumulate(sizes.begin(), sizes.end(), Index{0});
    if (sum != classes) {
      refuse_sizes(options, options.classes_per_task, "classes_per_task",
                   fmt::format("the tasks have {} classes in all, the data {}", sum, classes));
    }
    return sizes;
  }
  std::vector<Index> sizes;
  Index left = classes;
  if (const Index large = first_size(options, classes); large > 0) {
    if (large >= classes) {
      refuse_sizes(options, options.first, "first",
                   fmt::format("{} of {} classes leave none for the other tasks", large, classes));
    }
    sizes.push_back(large);
    left -= large;
  }
  if (!options.classes_per_task.is_null()) {
    const Index each = class_count(options, options.classes_per_task, "classes_per_task");
    for (; left > 0; left -= sizes.back()) {
      sizes.push_back(std::min(each, left));
    }
    return sizes;
  }
  const Index tasks = options.tasks > 0 ? options.tasks : kStandardTasks;
  if (tasks > left) {
    throw Error(
        ErrorKind::config,
        fmt::format("{}.tasks: {} classes cannot be dealt to {} tasks; each has one or more",
                    options.path, left, tasks));
  }
  for (Index t = 0; t < tasks; ++t) {
    sizes.push_back(left / tasks + (t < left % tasks ? 1 : 0));
  }
  return sizes;
}

std::vector<std::string> class_order(const TaskOptions& options, std::vector<std::string> names,
                                     bool is_listed) {
  const bool drawn = options.order == "seed" || (options.order == "auto" && !is_listed);
  if (drawn || options.order == "alphabetic") {
    std::sort(names.begin(), names.end());
  }
  if (drawn) {
    Rng(static_cast<std::uint64_t>(options.order_seed), "class order").shuffle(names);
  }
  return names;
}

}  // namespace tyto
