// SPDX-License-Identifier: Apache-2.0
// What was right of each task after each task, and the numbers of class-incremental learning that
// follow from it (vCLIMB, CVPR 2022; FACIL; PyCIL). Shares or percent: every measure keeps the
// unit.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/measure/registry.hpp"
#include "tyto/measure/run_view.hpp"

namespace tyto {

struct TaskMatrix {
  // (i, j): right of task j after task i, NaN where it was not tested. Above the diagonal stands,
  // where somebody looked ahead, what was right of the next task before it was learned.
  Dense<double> accuracy;
  Dense<Index> count;                   // (i, j): test samples behind it; empty where nobody says
  std::vector<Index> number;            // by task: as the data call it, from 1
  std::vector<Index> classes, samples;  // by task; samples: of the last test; 0 not known
  std::vector<double> overall;          // by row: of all test samples together; NaN: not tested
  std::vector<Index> step, tested;      // by row: of the run, -1 none; test samples
  std::map<std::string, Index> task_of_class;  // number of the first task a class is of

  [[nodiscard]] Index size() const { return accuracy.rows(); }
};

// Of the phase `phase`, split test, with what `pre` has of the next task. The task of a sample is
// its annotation `task` where all of these are whole numbers from 1, else that of its class on
// record; a run that has neither has no tasks. Tasks nobody was tested on are left out. A row is
// the last test before a newer task comes up, so steps may be less than tasks. Reads one phase at a
// time.
TaskMatrix task_matrix(const RunView& run, std::string_view phase);

enum class TaskWeight { task, class_count, sample };  // what counts alike in a mean over tasks

// After task i, from 0; missing where no term was tested.
std::optional<double> task_accuracy(const TaskMatrix& matrix, Index i, TaskWeight weight);
// R(j, j) - R(i, j), mean over j < i: against the moment a task was learned, as vCLIMB has it.
std::optional<double> backward_forgetting(const TaskMatrix& matrix, Index i, TaskWeight weight);
// max over j <= l < i of R(l, j) - R(i, j), mean over j < i.
std::optional<double> task_forgetting(const TaskMatrix& matrix, Index i);
std::optional<double> overall_accuracy(const TaskMatrix& matrix, Index i);
// These two are missing unless every task up to i was followed by a test.
std::optional<double> average_incremental_accuracy(const TaskMatrix& matrix, Index i);
std::optional<double> learning_accuracy(const TaskMatrix& matrix, Index i);
// R(j - 1, j) - untrained[j], mean over 0 < j <= i; nothing untrained: it is right by none.
std::optional<double> forward_transfer(const TaskMatrix& matrix, Index i,
                                       std::span<const double> untrained);
// joint[j] - R(j, j), mean over j <= i; missing without a joint reference.
std::optional<double> intransigence(const TaskMatrix& matrix, Index i,
                                    std::span<const double> joint);
std::optional<double> old_accuracy(const TaskMatrix& matrix, Index i);  // mean over j < i
std::optional<double> new_accuracy(const TaskMatrix& matrix, Index i);  // of task i

// Of task_accuracy by the luck of the test samples: the root of the sum of w(j)^2 p (1 - p) / n, p
// with one right and one wrong sample more, so that a task all right is not sure to stay so.
// Missing where numbers of samples are. Of `sample` it is that of the overall accuracy.
std::optional<double> task_accuracy_deviation(const TaskMatrix& matrix, Index i, TaskWeight weight);

struct TaskReferences {  // by task; empty: none
  std::vector<double> untrained, joint;
};

struct TaskMeasure {
  std::string_view name, summary, formula;
  Better better = Better::higher;
  std::vector<std::string> also_called;
  std::optional<double> (*value)(const TaskMatrix& matrix, Index i, const TaskReferences& to);
};

// In the order in which they are shown.
std::span<const TaskMeasure> task_measures();

}  // namespace tyto
