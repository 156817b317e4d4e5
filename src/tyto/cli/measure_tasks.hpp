// SPDX-License-Identifier: Apache-2.0
// tyto measure --matrix FILE: the measures of class-incremental learning, of somebody else's
// accuracy matrix or of the arms of a run, against a joint or an untrained model.
#pragma once

#include <string>
#include <vector>

#include "tyto/measure/tables/matrix_file.hpp"

namespace CLI {
class App;
}

namespace tyto {

struct TasksCall {
  std::string matrix;            // a CSV file, RUN or RUN:ARM
  std::string joint, untrained;  // a file, numbers, or RUN:ARM
  MatrixFileOptions file;

  [[nodiscard]] bool is_asked() const {
    return !matrix.empty() || !joint.empty() || !untrained.empty();
  }
};

struct TasksAnswer {  // what every form of the verb is told
  std::vector<std::string> targets;
  std::string out;
  bool json = false, csv = false, quiet = false;
};

void add_tasks_options(CLI::App* command, TasksCall& call);
void measure_tasks(const TasksCall& call, const TasksAnswer& answer);

}  // namespace tyto
