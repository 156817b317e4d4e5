// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/tasks/task_plan.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

using TaskRows = std::vector<std::array<std::vector<Index>, 3>>;  // by task and split

class TaskScheduler {
 public:
  TaskScheduler(const TaskPlan& plan, const Dataset& data, const Rng& rng)
      : plan_(plan), data_(data), rng_(rng), rows_(at(plan.tasks())) {
    for (std::size_t row = 0; row < plan.task.size(); ++row) {
      rows_[at(plan.task[row])][static_cast<std::size_t>(plan.side[row])].push_back(
          static_cast<Index>(row));
    }
    for (std::size_t t = 0; t < rows_.size(); ++t) {
      for (std::size_t side = 0; side < rows_[t].size(); ++side) {
        rng_.fork("order", 3 * t + side).shuffle(rows_[t][side]);
      }
    }
  }

  Schedule build() {
    if (plan_.options.borders) {
      for (Index t = 0; t < plan_.tasks(); ++t) {
        add_step(rows_[at(t)][0], {t});
      }
    } else {
      flow();
    }
    mark_novel();
    return std::move(schedule_);
  }

 private:
  // Train rows in the order of the tasks, those near a border drawn across it.
  [[nodiscard]] std::vector<Index> stream() const {
    std::vector<std::pair<double, Index>> placed;
    Rng rng = rng_.fork("overlap");
    for (const auto& task : rows_) {
      const auto size = static_cast<double>(task[0].size());
      for (const Index row : task[0]) {
        const auto place = static_cast<double>(placed.size());
        placed.emplace_back(place + plan_.options.overlap * size * (2 * rng.uniform() - 1), row);
      }
    }
    std::stable_sort(placed.begin(), placed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Index> rows;
    for (const auto& [place, row] : placed) {
      rows.push_back(row);
    }
    return rows;
  }

  void flow() {
    const std::vector<Index> all = stream();
    std::set<Index> begun;
    for (std::size_t begin = 0; begin < all.size(); begin += at(plan_.options.batch)) {
      const std::size_t end = std::min(begin + at(plan_.options.batch), all.size());
      std::vector<Index> rows(all.begin() + static_cast<std::ptrdiff_t>(begin),
                              all.begin() + static_cast<std::ptrdiff_t>(end));
      std::set<Index> now;
      for (const Index row : rows) {
        if (begun.insert(plan_.task[at(row)]).second) {
          now.insert(plan_.task[at(row)]);
        }
      }
      // Where in a step one task ends is not told.
      rng_.fork("within", begin).shuffle(rows);
      add_step(rows, {now.begin(), now.end()});
    }
  }

  // `begins`: tasks that do so at this step.
  void add_step(const std::vector<Index>& train, const std::vector<Index>& begins) {
    Increment& step = schedule_.increments.emplace_back();
    step.dataset = data_.name;
    step.splits[0].row = train;
    for (const Index t : begins) {
      const std::vector<Index>& validate = rows_[at(t)][1];
      step.splits[1].row.insert(step.splits[1].row.end(), validate.begin(), validate.end());
      begun_.insert(t);
    }
    for (const Index t : begun_) {
      const std::vector<Index>& test = rows_[at(t)][2];
      step.splits[2].row.insert(step.splits[2].row.end(), test.begin(), test.end());
    }
    std::set<std::string_view> here;
    for (const Index row : train) {
      here.insert(data_.table.label[at(row)]);
    }
    for (const auto& classes : plan_.classes) {
      for (const std::string& name : classes) {
        if (here.contains(name) && introduced_.insert(name).second) {
          step.introduced.push_back(name);
        }
      }
    }
  }

  void mark_novel() {
    std::map<std::string, Index> since;
    for (const std::string& name : schedule_.increments.front().introduced) {
      since[name] = -1;
    }
    for (Index t = 0; t < schedule_.size(); ++t) {
      for (ScheduledSplit& split : schedule_.increments[at(t)].splits) {
        for (const Index row : split.row) {
          split.novel.push_back(since.try_emplace(data_.table.label[at(row)], t).first->second ==
                                t);
        }
      }
    }
    schedule_.first_shown.assign(since.begin(), since.end());
    std::stable_sort(schedule_.first_shown.begin(), schedule_.first_shown.end(),
                     [](const auto& a, const auto& b) { return a.second < b.second; });
  }

  const TaskPlan& plan_;
  const Dataset& data_;
  const Rng& rng_;
  TaskRows rows_;
  std::set<Index> begun_;
  std::set<std::string> introduced_;
  Schedule schedule_;
};

void check_tasks(TaskPlan& plan) {
  const std::vector<std::array<Index, 3>> counts = plan.counts();
  for (std::size_t t = 0; t < counts.size(); ++t) {
    if (counts[t][0] == 0) {
      throw Error(
          ErrorKind::data,
          fmt::format("task {} ({}) has no sample to train on; {}.tasks says how to deal the "
                      "classes that have",
                      t + 1, fmt::join(plan.classes[t], ", "), plan.options.path));
    }
    if (counts[t][2] == 0) {
      plan.notes.push_back(fmt::format("task {} has no sample to test on", t + 1));
    }
  }
  if (plan.classes.front().size() == 1) {
    plan.notes.push_back("task 1 has one class; until the next there is nothing to tell apart");
  }
}

// Trimmed and untrimmed samples have the same schedule, and are told apart by their frames.
std::string digest_with_frames(const std::string& of_schedule, const IndexTable& table) {
  const std::string text = fmt::format("{} {}", of_schedule, fmt::join(table.frames, ","));
  return digest(std::as_bytes(std::span(text)));
}

}  // namespace

std::vector<std::array<Index, 3>> TaskPlan::counts() const {
  std::vector<std::array<Index, 3>> counts(classes.size());
  for (std::size_t row = 0; row < task.size(); ++row) {
    ++counts[at(task[row])][static_cast<std::size_t>(side[row])];
  }
  return counts;
}

std::vector<std::vector<std::string>> deal_classes(const TaskSamples& samples,
                                                   const TaskOptions& options) {
  const bool is_listed = !samples.listed_task.empty();
  const bool as_listed =
      is_listed && !options.has_sizes() && (options.order == "auto" || options.order == "file");
  std::vector<std::vector<std::string>> tasks;
  if (as_listed) {
    tasks.resize(at(samples.listed_task.back() + 1));
    for (std::size_t c = 0; c < samples.classes.size(); ++c) {
      tasks[at(samples.listed_task[c])].push_back(samples.classes[c]);
    }
  } else {
    // Of a list whose videos are lost, a class may have no sample left.
    const std::set<std::string_view> shown(samples.data.table.label.begin(),
                                           samples.data.table.label.end());
    std::vector<std::string> names = samples.classes;
    std::erase_if(names, [&](const std::string& name) { return !shown.contains(name); });
    std::vector<Index> sizes;
    if (is_listed && !options.has_sizes()) {  // another order of classes, tasks of the same sizes
      for (std::size_t c = 0; c < names.size(); ++c) {
        const auto place = std::find(samples.classes.begin(), samples.classes.end(), names[c]);
        const Index t = samples.listed_task[at(place - samples.classes.begin())];
        sizes.resize(std::max(sizes.size(), at(t + 1)), 0);
        ++sizes[at(t)];
      }
      std::erase(sizes, 0);
    } else {
      sizes = task_sizes(options, std::ssize(names));
    }
    names = class_order(options, std::move(names), is_listed);
    auto next = names.begin();
    for (const Index size : sizes) {
      tasks.emplace_back(next, next + size);
      next += size;
    }
  }
  return tasks;
}

std::shared_ptr<const TaskPlan> make_task_plan(TaskSamples samples, const TaskOptions& options,
                                               std::uint64_t seed) {
  const Rng rng(seed, "world");
  auto plan = std::make_shared<TaskPlan>();
  plan->options = options;
  plan->notes = std::move(samples.notes);
  plan->classes = deal_classes(samples, options);
  std::map<std::string_view, Index> task_of;
  for (std::size_t t = 0; t < plan->classes.size(); ++t) {
    for (const std::string& name : plan->classes[t]) {
      task_of[name] = static_cast<Index>(t);
    }
  }
  std::vector<std::string> annotation;
  for (const std::string& label : samples.data.table.label) {
    plan->task.push_back(task_of.at(label));
    annotation.push_back(fmt::to_string(plan->task.back() + 1));
  }
  samples.data.table.annotations["task"] = std::move(annotation);
  plan->side = std::move(samples.side);
  check_tasks(*plan);
  Schedule schedule = TaskScheduler(*plan, samples.data, rng.fork("tasks")).build();
  auto steps =
      make_plan(join_series({std::move(samples.data)}), std::move(schedule), rng.fork("ids"));
  steps->validate_granted = true;
  steps->digest = digest_with_frames(steps->digest, steps->series.joined.table);
  add_nuisance(*steps, options.nuisance, options.path, seed);
  for (std::string& note : nuisance_notes(steps->nuisance)) {
    plan->notes.push_back(std::move(note));
  }
  plan->steps = std::move(steps);
  return plan;
}

}  // namespace tyto
