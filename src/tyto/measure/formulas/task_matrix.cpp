// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/task_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace tyto {

namespace {

constexpr double kNotTested = std::numeric_limits<double>::quiet_NaN();

struct Tried {
  Index samples = 0, right = 0;

  [[nodiscard]] double share() const {
    return samples > 0 ? static_cast<double>(right) / static_cast<double>(samples) : kNotTested;
  }
};

// The tasks of the samples of one run; numbers from 1, 0 for none.
class TasksOfRun {
 public:
  explicit TasksOfRun(const Truth& truth) : annotated_(annotated_tasks(truth)) {
    for (std::size_t id = 0; id < annotated_.size(); ++id) {
      classes_[annotated_[id]].insert(truth.label[id]);
    }
  }

  // Counts of the view by task, and the newest task it knows of.
  std::map<Index, Tried> count(const PhaseView& view, Index& newest) {
    std::vector<Index> of_place(view.names.size(), 0);
    if (annotated_.empty()) {
      for (const auto& [name, task] : view.task_of_class) {
        if (learned_.emplace(name, task + 1).second) {
          classes_[task + 1].insert(name);
        }
        newest = std::max(newest, task + 1);
      }
      for (std::size_t place = 0; place < of_place.size(); ++place) {
        const auto found = learned_.find(view.names[place]);
        of_place[place] = found == learned_.end() ? 0 : found->second;
      }
    }
    std::map<Index, Tried> by_task;
    for (Index i = 0; i < view.size(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      const Index task = annotated_.empty()
                             ? of_place[static_cast<std::size_t>(view.actual[row])]
                             : annotated_[static_cast<std::size_t>(view.sample[row])];
      newest = annotated_.empty() ? newest : std::max(newest, task);
      Tried& tried = by_task[task];
      ++tried.samples;
      tried.right += view.actual_name(i) == view.decision_name(i) ? 1 : 0;
    }
    return by_task;
  }

  [[nodiscard]] std::map<std::string, Index> task_of_class() const {
    std::map<std::string, Index> first;
    for (const auto& [task, names] : classes_) {
      for (const std::string& name : names) {
        if (task > 0) {
          first.emplace(name, task);
        }
      }
    }
    return first;
  }

  [[nodiscard]] Index classes(Index task) const {
    const auto found = classes_.find(task);
    return found == classes_.end() ? 0 : std::ssize(found->second);
  }

 private:
  std::vector<Index> annotated_;
  std::map<std::string, Index> learned_;  // by class, of the views counted so far
  std::map<Index, std::set<std::string>> classes_;
};

struct Tested {
  Index step = 0, newest = 0;
  std::map<Index, Tried> by_task;
};

Tested test_of(const RunView& run, const PhaseKey& key, TasksOfRun& tasks, Index newest) {
  Tested tested{key.step, newest, {}};
  tested.by_task = tasks.count(run.view(key), tested.newest);
  return tested;
}

// Puts what was right before the next task was learned above the diagonal.
void look_ahead(const RunView& run, const std::vector<Tested>& tests, TasksOfRun& tasks,
                const std::map<Index, Index>& column, TaskMatrix& matrix) {
  for (const PhaseKey& key : run.steps("pre", "test")) {
    Index newest = 0;
    for (const Tested& test : tests) {
      newest = test.step < key.step ? std::max(newest, test.newest) : newest;
    }
    const auto next = column.upper_bound(newest);
    if (next == column.begin() || next == column.end()) {
      continue;
    }
    const Tested ahead = test_of(run, key, tasks, newest);
    const auto found = ahead.by_task.find(next->first);
    double& entry = matrix.accuracy(next->second - 1, next->second);
    if (found != ahead.by_task.end() && std::isnan(entry)) {
      entry = found->second.share();
    }
  }
}

double weight_of(const TaskMatrix& matrix, Index j, TaskWeight weight) {
  const auto place = static_cast<std::size_t>(j);
  switch (weight) {
    case TaskWeight::task: break;
    case TaskWeight::class_count: return static_cast<double>(matrix.classes[place]);
    case TaskWeight::sample: return static_cast<double>(matrix.samples[place]);
  }
  return 1.0;
}

// Weighted mean of the terms that are numbers, over tasks from `first` up to and without `end`.
template <class Term>
std::optional<double> mean_over(const TaskMatrix& matrix, Index first, Index end, TaskWeight weight,
                                const Term& term) {
  double sum = 0;
  double weights = 0;
  for (Index j = first; j < end; ++j) {
    const double value = term(j);
    if (!std::isnan(value)) {
      sum += weight_of(matrix, j, weight) * value;
      weights += weight_of(matrix, j, weight);
    }
  }
  return weights > 0 ? std::optional(sum / weights) : std::nullopt;
}

// Was there a test after every task up to i?
bool all_tested(const TaskMatrix& matrix, Index i) {
  return std::none_of(matrix.step.begin(), matrix.step.begin() + i + 1,
                      [](Index step) { return step < 0; });
}

std::optional<double> or_missing(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

}  // namespace

TaskMatrix task_matrix(const RunView& run, std::string_view phase) {
  TasksOfRun tasks(run.truth());
  std::vector<Tested> tests;
  std::map<Index, Index> column;  // by number of the task
  for (const PhaseKey& key : run.steps(phase, "test")) {
    tests.push_back(test_of(run, key, tasks, tests.empty() ? 0 : tests.back().newest));
    for (const auto& [task, tried] : tests.back().by_task) {
      if (task > 0) {
        column.emplace(task, 0);
      }
    }
  }
  TaskMatrix matrix;
  const auto size = static_cast<Index>(column.size());
  matrix.accuracy = Dense<double>::Constant(size, size, kNotTested);
  matrix.count = Dense<Index>::Zero(size, size);
  matrix.task_of_class = tasks.task_of_class();
  matrix.overall.assign(column.size(), kNotTested);
  matrix.step.assign(column.size(), -1);
  matrix.tested.assign(column.size(), 0);
  for (auto& [task, place] : column) {
    place = std::ssize(matrix.number);
    matrix.number.push_back(task);
    matrix.classes.push_back(tasks.classes(task));
  }
  matrix.samples.assign(column.size(), 0);
  for (const Tested& test : tests) {
    const auto beyond = column.upper_bound(test.newest);
    if (beyond == column.begin()) {
      continue;
    }
    const Index row = std::prev(beyond)->second;
    Tried all;
    matrix.accuracy.row(row).setConstant(kNotTested);  // a later test of the same task replaces it
    matrix.count.row(row).setZero();
    for (const auto& [task, tried] : test.by_task) {
      all.samples += tried.samples;
      all.right += tried.right;
      if (task > 0) {
        matrix.accuracy(row, column.at(task)) = tried.share();
        matrix.count(row, column.at(task)) = tried.samples;
        matrix.samples[static_cast<std::size_t>(column.at(task))] = tried.samples;
      }
    }
    matrix.overall[static_cast<std::size_t>(row)] = all.share();
    matrix.step[static_cast<std::size_t>(row)] = test.step;
    matrix.tested[static_cast<std::size_t>(row)] = all.samples;
  }
  look_ahead(run, tests, tasks, column, matrix);
  return matrix;
}

std::optional<double> task_accuracy(const TaskMatrix& matrix, Index i, TaskWeight weight) {
  return mean_over(matrix, 0, i + 1, weight, [&](Index j) { return matrix.accuracy(i, j); });
}

std::optional<double> backward_forgetting(const TaskMatrix& matrix, Index i, TaskWeight weight) {
  return mean_over(matrix, 0, i, weight,
                   [&](Index j) { return matrix.accuracy(j, j) - matrix.accuracy(i, j); });
}

std::optional<double> task_forgetting(const TaskMatrix& matrix, Index i) {
  return mean_over(matrix, 0, i, TaskWeight::task, [&](Index j) {
    double best = kNotTested;
    for (Index l = j; l < i; ++l) {
      best = std::fmax(best, matrix.accuracy(l, j));  // of a number and NaN the number
    }
    return best - matrix.accuracy(i, j);
  });
}

std::optional<double> overall_accuracy(const TaskMatrix& matrix, Index i) {
  return or_missing(matrix.overall[static_cast<std::size_t>(i)]);
}

std::optional<double> average_incremental_accuracy(const TaskMatrix& matrix, Index i) {
  const auto end = matrix.overall.begin() + i + 1;
  if (std::any_of(matrix.overall.begin(), end, [](double value) { return std::isnan(value); })) {
    return {};
  }
  return mean_over(matrix, 0, i + 1, TaskWeight::task,
                   [&](Index l) { return matrix.overall[static_cast<std::size_t>(l)]; });
}

std::optional<double> learning_accuracy(const TaskMatrix& matrix, Index i) {
  if (!all_tested(matrix, i)) {
    return {};
  }
  return mean_over(matrix, 0, i + 1, TaskWeight::task,
                   [&](Index j) { return matrix.accuracy(j, j); });
}

std::optional<double> forward_transfer(const TaskMatrix& matrix, Index i,
                                       std::span<const double> untrained) {
  return mean_over(matrix, 1, i + 1, TaskWeight::task, [&](Index j) {
    return matrix.accuracy(j - 1, j) -
           (untrained.empty() ? 0.0 : untrained[static_cast<std::size_t>(j)]);
  });
}

std::optional<double> intransigence(const TaskMatrix& matrix, Index i,
                                    std::span<const double> joint) {
  return mean_over(matrix, 0, joint.empty() ? 0 : i + 1, TaskWeight::task, [&](Index j) {
    return joint[static_cast<std::size_t>(j)] - matrix.accuracy(j, j);
  });
}

std::optional<double> old_accuracy(const TaskMatrix& matrix, Index i) {
  return mean_over(matrix, 0, i, TaskWeight::task, [&](Index j) { return matrix.accuracy(i, j); });
}

std::optional<double> new_accuracy(const TaskMatrix& matrix, Index i) {
  return or_missing(matrix.accuracy(i, i));
}

std::optional<double> task_accuracy_deviation(const TaskMatrix& matrix, Index i,
                                              TaskWeight weight) {
  double variance = 0;
  double weights = 0;
  if (matrix.count.size() > 0) {
    for (Index j = 0; j <= i; ++j) {
      if (std::isnan(matrix.accuracy(i, j))) {
        continue;
      }
      const auto n = static_cast<double>(matrix.count(i, j));
      const double p = (matrix.accuracy(i, j) * n + 1) / (n + 2);
      const double own = weight == TaskWeight::sample ? n : weight_of(matrix, j, weight);
      variance += own * own * p * (1 - p) / n;
      weights += own;
    }
  }
  return weights > 0 ? std::optional(std::sqrt(variance) / weights) : std::nullopt;
}

std::span<const TaskMeasure> task_measures() {
  using To = const TaskReferences&;
  using Of = const TaskMatrix&;
  static const std::vector<TaskMeasure> all{
      {"task_accuracy",
       "Share of the test samples of a task that get their right name, mean over the tasks seen so "
       "far.",
       "mean over j <= i of R(i, j); R(i, j) share right of task j after task i, nobody saying the "
       "task",
       Better::higher,
       {"average_task_accuracy", "acc"},
       [](Of m, Index i, To) { return task_accuracy(m, i, TaskWeight::task); }},
      {"task_accuracy_by_class",
       "The same with every task counted by its number of classes, as the released vCLIMB code "
       "does.",
       "sum over j <= i of C(j) R(i, j) over sum of C(j); C(j) classes of task j",
       Better::higher,
       {},
       [](Of m, Index i, To) { return task_accuracy(m, i, TaskWeight::class_count); }},
      {"overall_accuracy",
       "Share of all test samples of the tasks seen so far that get their right name, each counted "
       "once.",
       "right / all test samples after task i",
       Better::higher,
       {"last_accuracy"},
       [](Of m, Index i, To) { return overall_accuracy(m, i); }},
      {"average_incremental_accuracy",
       "The overall accuracy of every task so far, mean over the tasks after which it was tested.",
       "mean over l <= i of the overall accuracy after task l; missing if one was not tested",
       Better::higher,
       {"incremental_accuracy"},
       [](Of m, Index i, To) { return average_incremental_accuracy(m, i); }},
      {"learning_accuracy",
       "How much of a task is right just after it was learned, mean over the tasks so far.",
       "mean over j <= i of R(j, j)",
       Better::higher,
       {},
       [](Of m, Index i, To) { return learning_accuracy(m, i); }},
      {"backward_forgetting",
       "How much less is right of an old task than just after it was learned; below 0 it is better "
       "than then.",
       "mean over j < i of R(j, j) - R(i, j)",
       Better::lower,
       {"bwf", "backward_transfer_negated"},
       [](Of m, Index i, To) { return backward_forgetting(m, i, TaskWeight::task); }},
      {"backward_forgetting_by_class",
       "The same with every old task counted by its number of classes, as the released vCLIMB code "
       "does.",
       "sum over j < i of C(j) (R(j, j) - R(i, j)) over sum of C(j)",
       Better::lower,
       {},
       [](Of m, Index i, To) { return backward_forgetting(m, i, TaskWeight::class_count); }},
      {"task_forgetting",
       "How much less is right of an old task than when most of it was right.",
       "mean over j < i of max over j <= l < i of R(l, j), minus R(i, j)",
       Better::lower,
       {"forgetting_of_tasks"},
       [](Of m, Index i, To) { return task_forgetting(m, i); }},
      {"old_accuracy",
       "Share right of the tasks before the newest one, mean over them.",
       "mean over j < i of R(i, j)",
       Better::higher,
       {"stability"},
       [](Of m, Index i, To) { return old_accuracy(m, i); }},
      {"new_accuracy",
       "Share right of the newest task.",
       "R(i, i)",
       Better::higher,
       {"plasticity"},
       [](Of m, Index i, To) { return new_accuracy(m, i); }},
      {"forward_transfer",
       "How much of a task is right before it is learned, beyond what was right untrained. Where "
       "every task brings new names it is 0 at best.",
       "mean over 0 < j <= i of R(j - 1, j) - b(j); b(j) of the untrained model, 0 where none is "
       "given",
       Better::higher,
       {"fwt"},
       [](Of m, Index i, To to) { return forward_transfer(m, i, to.untrained); }},
      {"intransigence",
       "How much less is right of a task just after it was learned than if all had been learned "
       "together.",
       "mean over j <= i of a(j) - R(j, j); a(j) of the joint reference",
       Better::lower,
       {},
       [](Of m, Index i, To to) { return intransigence(m, i, to.joint); }}};
  return all;
}

}  // namespace tyto
