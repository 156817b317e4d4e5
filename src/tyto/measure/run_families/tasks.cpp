// SPDX-License-Identifier: Apache-2.0
// Class-incremental learning: what is right of each task after each task, in runs that have tasks.
#include <fmt/format.h>

#include "tyto/measure/formulas/task_matrix.hpp"
#include "tyto/measure/run_registry.hpp"

namespace tyto {

namespace {

constexpr std::string_view kAware = "task_aware_accuracy";

struct MatricesOfRun {
  TaskMatrix post, aware;
};

const MatricesOfRun& matrices_of(const RunView& run) {
  return run.once<MatricesOfRun>([&] {
    return MatricesOfRun{task_matrix(run, "post"), task_matrix(run, "aware")};
  });
}

// After every task that was tested and, last, after the last of them.
std::vector<RunValue> values_of_tasks(const TaskMatrix& matrix, std::string_view phase,
                                      const TaskMeasure& measure) {
  std::vector<RunValue> values;
  if (matrix.size() < 2) {
    return values;
  }
  const PhaseKey over_all{kAllSteps, std::string(phase), "test", 0};
  for (Index i = 0; i < matrix.size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    if (matrix.step[row] >= 0) {
      PhaseKey at = over_all;
      at.step = matrix.step[row];
      values.push_back({at, "", measure.value(matrix, i, {}), matrix.tested[row]});
    }
  }
  if (!values.empty()) {
    RunValue last = values.back();
    last.at = over_all;
    values.push_back(std::move(last));
  }
  return values;
}

RunMeasureSpec spec_of(const TaskMeasure& measure) {
  RunMeasureSpec spec;
  spec.name = measure.name;
  spec.summary = measure.summary;
  spec.formula = fmt::format("{}; over all steps after the last task", measure.formula);
  spec.reads = "post, split test, of a run with tasks";
  spec.better = measure.better;
  spec.also_called = measure.also_called;
  spec.values = [&measure](const RunView& run) {
    return values_of_tasks(matrices_of(run).post, "post", measure);
  };
  return spec;
}

}  // namespace

std::vector<RunMeasureSpec> tasks_run_measures() {
  std::vector<RunMeasureSpec> specs;
  for (const TaskMeasure& measure : task_measures()) {
    if (measure.name != "intransigence") {  // a run has no reference: tyto measure --matrix --joint
      specs.push_back(spec_of(measure));
    }
  }
  const TaskMeasure& accuracy = task_measures().front();
  RunMeasureSpec aware = spec_of(accuracy);
  aware.name = kAware;
  aware.summary =
      "Share of the test samples of a task that get their right name where the answer is sought "
      "among the classes of the task, mean over the tasks seen so far.";
  aware.reads = "aware, split test, of a run with tasks";
  aware.also_called = {"task_incremental_accuracy"};
  aware.values = [&accuracy](const RunView& run) {
    return values_of_tasks(matrices_of(run).aware, "aware", accuracy);
  };
  specs.push_back(std::move(aware));
  return specs;
}

}  // namespace tyto
