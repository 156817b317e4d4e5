// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/task_matrix.hpp"

#include <cmath>
#include <limits>

#include "measure/toy_record.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/measure/run_registry.hpp"
#include "tyto/measure/table.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

TaskMatrix matrix_of(const std::vector<std::vector<double>>& rows, std::vector<Index> classes) {
  TaskMatrix matrix;
  const auto size = static_cast<Index>(rows.size());
  matrix.accuracy = Dense<double>::Constant(size, size, kNone);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      matrix.accuracy(static_cast<Index>(i), static_cast<Index>(j)) = rows[i][j];
    }
    matrix.number.push_back(static_cast<Index>(i) + 1);
    matrix.step.push_back(static_cast<Index>(i));
  }
  matrix.classes = std::move(classes);
  matrix.samples.assign(rows.size(), 0);
  matrix.tested.assign(rows.size(), 0);
  matrix.overall.assign(rows.size(), kNone);
  return matrix;
}

// The log of a run of the released code, UCF101 in ten tasks: accuracies after the last task, and
// of each task just after it was learned. The log has 72.192924 and 23.954145, by class, summed in
// float32: these digits are of double.
TEST(TaskMatrix, gives_the_published_numbers_of_a_public_log) {
  const std::vector<double> last{53.62318801879883, 52.671756744384766, 66.18704986572266,
                                 70.07874298095703, 64.56693267822266,  80.0,
                                 82.60869598388672, 73.01587677001953,  87.60330200195312,
                                 93.43065643310547};
  const std::vector<double> learned{99.27536010742188, 98.47328186035156, 97.12229919433594,
                                    90.55117797851562, 94.48818969726562, 95.38461303710938,
                                    94.20289611816406, 82.53968048095703, 91.73553466796875};
  std::vector<std::vector<double>> rows(10, std::vector<double>(10, kNone));
  for (std::size_t j = 0; j < learned.size(); ++j) {
    rows[j][j] = learned[j];
  }
  rows[9] = last;
  const TaskMatrix matrix = matrix_of(rows, {11, 10, 10, 10, 10, 10, 10, 10, 10, 10});
  EXPECT_NEAR(*task_accuracy(matrix, 9, TaskWeight::class_count), 72.19292, 5e-6);
  EXPECT_NEAR(*backward_forgetting(matrix, 9, TaskWeight::class_count), 23.95414, 5e-6);
  EXPECT_NEAR(*task_accuracy(matrix, 9, TaskWeight::task), 72.37862, 5e-6);
  EXPECT_NEAR(*backward_forgetting(matrix, 9, TaskWeight::task), 23.71305, 5e-6);
}

//            task 1   2    3
// after 1:        0.8  0.2       (0.2: looked ahead)
//       2:        0.9  0.6  0.1
//       3:        0.5  0.4  0.7      classes 2, 1, 1
TaskMatrix small_matrix() {
  TaskMatrix matrix = matrix_of({{0.8, 0.2, kNone}, {0.9, 0.6, 0.1}, {0.5, 0.4, 0.7}}, {2, 1, 1});
  matrix.overall = {0.8, 0.75, 0.5};
  return matrix;
}

TEST(TaskMatrix, is_measured_by_hand) {
  const TaskMatrix m = small_matrix();
  EXPECT_DOUBLE_EQ(*task_accuracy(m, 2, TaskWeight::task), 1.6 / 3);
  EXPECT_DOUBLE_EQ(*task_accuracy(m, 2, TaskWeight::class_count), (2 * 0.5 + 0.4 + 0.7) / 4);
  EXPECT_DOUBLE_EQ(*task_accuracy(m, 1, TaskWeight::task), 0.75);  // 0.1 was looked ahead
  EXPECT_DOUBLE_EQ(*overall_accuracy(m, 2), 0.5);
  EXPECT_DOUBLE_EQ(*average_incremental_accuracy(m, 2), 2.05 / 3);
  EXPECT_DOUBLE_EQ(*learning_accuracy(m, 2), 2.1 / 3);
  EXPECT_DOUBLE_EQ(*backward_forgetting(m, 2, TaskWeight::task), (0.3 + 0.2) / 2);
  EXPECT_DOUBLE_EQ(*backward_forgetting(m, 2, TaskWeight::class_count), (2 * 0.3 + 0.2) / 3);
  EXPECT_NEAR(*backward_forgetting(m, 1, TaskWeight::task), -0.1, 1e-15);
  EXPECT_DOUBLE_EQ(*task_forgetting(m, 2), (0.4 + 0.2) / 2);  // task 1 was best after task 2
  EXPECT_DOUBLE_EQ(*old_accuracy(m, 2), 0.45);
  EXPECT_DOUBLE_EQ(*new_accuracy(m, 2), 0.7);
  EXPECT_DOUBLE_EQ(*forward_transfer(m, 2, {}), 0.15);
  const std::vector<double> untrained{0.0, 0.1, 0.2};
  EXPECT_DOUBLE_EQ(*forward_transfer(m, 2, untrained), (0.1 - 0.1) / 2);
  const std::vector<double> joint{0.9, 0.8, 0.9};
  EXPECT_DOUBLE_EQ(*intransigence(m, 2, joint), (0.1 + 0.2 + 0.2) / 3);
}

// Two tasks, 8 of 10 and 3 of 6 right: p 9/12 and 4/8.
TEST(TaskMatrix, tells_how_far_the_luck_of_the_test_samples_goes) {
  TaskMatrix m = matrix_of({{1.0}, {0.8, 0.5}}, {3, 1});
  EXPECT_FALSE(task_accuracy_deviation(m, 1, TaskWeight::task));
  m.count = Dense<Index>::Zero(2, 2);
  m.count << 10, 0, 10, 6;
  const double a = 0.75 * 0.25 / 10;
  const double b = 0.5 * 0.5 / 6;
  EXPECT_DOUBLE_EQ(*task_accuracy_deviation(m, 1, TaskWeight::task), std::sqrt(a + b) / 2);
  EXPECT_DOUBLE_EQ(*task_accuracy_deviation(m, 1, TaskWeight::class_count),
                   std::sqrt(9 * a + b) / 4);
  EXPECT_DOUBLE_EQ(*task_accuracy_deviation(m, 1, TaskWeight::sample),
                   std::sqrt(100 * a + 36 * b) / 16);
  EXPECT_GT(*task_accuracy_deviation(m, 0, TaskWeight::task), 0.05);  // 10 of 10
}

TEST(TaskMatrix, has_no_number_where_nothing_was_tested) {
  const TaskMatrix m = small_matrix();
  EXPECT_FALSE(backward_forgetting(m, 0, TaskWeight::task));
  EXPECT_FALSE(task_forgetting(m, 0));
  EXPECT_FALSE(old_accuracy(m, 0));
  EXPECT_FALSE(forward_transfer(m, 0, {}));
  EXPECT_FALSE(intransigence(m, 2, {}));
  TaskMatrix last_only = matrix_of({{}, {}, {0.5, 0.4, 0.7}}, {2, 1, 1});
  last_only.overall = {kNone, kNone, 0.5};
  last_only.step = {-1, -1, 2};
  EXPECT_DOUBLE_EQ(*task_accuracy(last_only, 2, TaskWeight::task), 1.6 / 3);
  EXPECT_FALSE(average_incremental_accuracy(last_only, 2));
  EXPECT_FALSE(learning_accuracy(last_only, 2));
  EXPECT_FALSE(backward_forgetting(last_only, 2, TaskWeight::task));
  EXPECT_FALSE(task_accuracy(last_only, 1, TaskWeight::task));
}

// Rows are truth and decision; a sample of its own each time.
struct TaskRun {
  std::vector<Phase> phases;
  Truth truth;

  void add(PhaseKey key, const std::map<std::string, Index>& tasks,
           const std::vector<std::pair<std::string, std::string>>& rows) {
    std::vector<std::string> known{"A", "B", "C", "D"};
    std::vector<std::string> decisions;
    const auto first = static_cast<Index>(truth.label.size());
    for (const auto& [label, decision] : rows) {
      truth.label.push_back(label);
      decisions.push_back(decision);
    }
    phases.push_back(toy_phase(std::move(key), known, decisions, first));
    phases.back().task_of_class = tasks;
  }

  [[nodiscard]] ToyRecord record() const { return {phases, truth}; }
};

// Task 1 is A and B, task 2 is C, task 3 is D, which is never tested.
TaskRun run_of_tasks() {
  TaskRun run;
  run.add({0, "post", "test"}, {{"A", 0}, {"B", 0}}, {{"A", "A"}, {"B", "B"}, {"B", "A"}});
  run.add({1, "pre", "test"}, {{"A", 0}, {"B", 0}}, {{"C", "C"}, {"C", "unknown"}});
  run.add({1, "post", "test"}, {{"A", 0}, {"B", 0}, {"C", 1}},
          {{"A", "A"}, {"B", "C"}, {"C", "C"}, {"C", "C"}, {"D", "A"}});
  run.add({2, "post", "test"}, {{"A", 0}, {"B", 0}, {"C", 1}, {"D", 2}},
          {{"A", "C"}, {"B", "B"}, {"C", "unknown"}, {"C", "C"}});
  return run;
}

TEST(TaskMatrix, of_a_run_takes_the_task_that_brought_the_class) {
  const ToyRecord record = run_of_tasks().record();
  const TaskMatrix matrix = task_matrix(RunView(record), "post");
  ASSERT_EQ(matrix.size(), 2);
  EXPECT_THAT(matrix.number, ElementsAre(1, 2));
  EXPECT_THAT(matrix.classes, ElementsAre(2, 1));
  EXPECT_DOUBLE_EQ(matrix.accuracy(0, 0), 2.0 / 3);
  EXPECT_DOUBLE_EQ(matrix.accuracy(0, 1), 0.5);  // before it was learned
  // Nobody is tested on D: the test after it is the last of task 2.
  EXPECT_DOUBLE_EQ(matrix.accuracy(1, 0), 0.5);
  EXPECT_DOUBLE_EQ(matrix.accuracy(1, 1), 0.5);
  EXPECT_THAT(matrix.step, ElementsAre(0, 2));
  EXPECT_THAT(matrix.tested, ElementsAre(3, 4));
  EXPECT_EQ(matrix.count(1, 0), 2);
  EXPECT_EQ(matrix.count(0, 1), 0);
  EXPECT_EQ(matrix.task_of_class.at("D"), 3);
  EXPECT_THAT(matrix.overall, ElementsAre(2.0 / 3, 0.5));
  EXPECT_EQ(task_matrix(RunView(record), "aware").size(), 0);
}

TEST(TaskMatrix, of_a_run_takes_the_task_the_data_tell) {
  TaskRun run = run_of_tasks();
  // A is of task 3 in its first test, and of task 1 later: a class may be in two tasks.
  run.truth.annotations["task"] = {"1", "1", "1", "3", "3", "1", "1",
                                   "3", "3", "",  "1", "1", "3", "1"};
  const TaskMatrix matrix = task_matrix(RunView(run.record()), "post");
  EXPECT_THAT(matrix.number, ElementsAre(1, 3));
  EXPECT_THAT(matrix.step, ElementsAre(0, 2));
  EXPECT_DOUBLE_EQ(matrix.accuracy(1, 0), 2.0 / 3);
  EXPECT_DOUBLE_EQ(matrix.accuracy(1, 1), 0.0);
  EXPECT_DOUBLE_EQ(matrix.accuracy(0, 1), 0.5);
  run.truth.annotations["task"].front() = "fasten seat belt";  // another kind of task
  EXPECT_THAT(task_matrix(RunView(run.record()), "post").number, ElementsAre(1, 2));
}

TEST(TaskMeasures, speak_by_step_and_over_all_of_runs_with_tasks_alone) {
  TaskRun run = run_of_tasks();
  const std::vector<std::string> names{"task_accuracy", "bwf", "forward_transfer"};
  const auto rows = measure_whole_run(RunView(run.record()), names);
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(rows[0].step, 0);
  EXPECT_EQ(rows[1].step, 2);
  EXPECT_EQ(rows[2].step, kAllSteps);
  EXPECT_DOUBLE_EQ(rows[2].value.value(), 0.5);
  EXPECT_EQ(rows[2].samples, 4);
  EXPECT_FALSE(rows[3].value);
  EXPECT_NEAR(rows[5].value.value(), 2.0 / 3 - 0.5, 1e-15);
  EXPECT_DOUBLE_EQ(rows[8].value.value(), 0.5);
  for (Phase& phase : run.phases) {
    phase.task_of_class.clear();
  }
  EXPECT_TRUE(measure_whole_run(RunView(run.record()), names).empty());
}

TEST(TaskMeasures, are_all_there_and_each_named_once) {
  std::set<std::string> names;
  for (const TaskMeasure& measure : task_measures()) {
    EXPECT_TRUE(names.emplace(measure.name).second) << measure.name;
    if (measure.name != "intransigence") {
      EXPECT_NE(find_run_measure(measure.name), nullptr) << measure.name;
    }
  }
  EXPECT_EQ(names.size(), 12U);
  EXPECT_NE(find_run_measure("task_aware_accuracy"), nullptr);
}

}  // namespace
}  // namespace tyto
