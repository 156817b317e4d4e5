// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/measure_tasks.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/engine/use/measure_target.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

using TasksJson = nlohmann::ordered_json;

constexpr Index kWidestShown = 20;  // tasks: a wider matrix does not fit a terminal

struct NamedMatrix {
  std::string name;
  MatrixFile file;
};

// RUN or RUN:ARM; a folder may have a colon in its name. Nothing where it is no run.
std::vector<MeasureTarget> arms_called(const std::string& text) {
  namespace fs = std::filesystem;
  if (fs::is_directory(text)) {
    return open_targets(text, "", {}, false);
  }
  const auto colon = text.rfind(':');
  if (colon != text.npos && fs::is_directory(text.substr(0, colon))) {
    return open_targets(text.substr(0, colon), text.substr(colon + 1), {}, false);
  }
  return {};
}

NamedMatrix matrix_of(const MeasureTarget& target) {
  NamedMatrix named{target.name, {}};
  named.file.matrix = task_matrix(RunView(*target.record), "post");
  if (named.file.matrix.size() < 2) {
    throw Error(ErrorKind::data,
                fmt::format("{}: has no accuracies of two tasks or more; protocol: cil, or a world "
                            "of tasks, makes them",
                            target.name));
  }
  return named;
}

std::vector<NamedMatrix> matrices_called(const TasksCall& call) {
  std::vector<NamedMatrix> all;
  for (const MeasureTarget& target : arms_called(call.matrix)) {
    all.push_back(matrix_of(target));
  }
  if (all.empty()) {
    all.push_back(
        {call.matrix, parse_task_matrix(read_maybe_gz(call.matrix), call.matrix, call.file)});
  } else if (call.file.percent || !call.file.classes.empty() || !call.file.samples.empty()) {
    throw Error(ErrorKind::config,
                "--percent, --classes and --samples are for files: a run has these on record");
  }
  return all;
}

// Of an option: the diagonal of an arm, what a file says, or the numbers themselves.
std::vector<double> reference_called(const std::string& option, const std::string& text,
                                     const MatrixFile& of) {
  if (text.empty()) {
    return {};
  }
  const std::vector<MeasureTarget> arms = arms_called(text);
  if (arms.size() > 1) {
    throw Error(ErrorKind::config,
                fmt::format("{} {}: has several arms; choose one, as in {}:{}", option, text, text,
                            arms.front().leading.front().second));
  }
  if (arms.size() == 1) {
    const NamedMatrix named = matrix_of(arms.front());
    const Dense<double>& accuracy = named.file.matrix.accuracy;
    if (accuracy.rows() != of.matrix.size()) {
      throw Error(ErrorKind::data, fmt::format("{} {}: {} tasks, but there are {}", option, text,
                                               accuracy.rows(), of.matrix.size()));
    }
    std::vector<double> values;
    for (Index j = 0; j < accuracy.rows(); ++j) {
      values.push_back(accuracy(j, j) * (of.percent ? 100.0 : 1.0));
    }
    return values;
  }
  const bool is_file = std::filesystem::exists(text);
  const std::string name = is_file ? text : fmt::format("{} {}", option, text);
  const bool is_numbers = text.find_first_not_of("0123456789.,;-+eE \tnaNA") == text.npos;
  if (!is_file && !is_numbers) {
    throw Error(
        ErrorKind::config,
        fmt::format("{}: is neither a file, nor an arm of a run (RUN:ARM), nor numbers", name));
  }
  return parse_task_values(is_file ? read_maybe_gz(text) : text, name, of);
}

TasksJson number_or_null(double value) {
  return std::isfinite(value) ? TasksJson(value) : TasksJson(nullptr);
}

std::string cell_of(const std::optional<double>& value, bool percent) {
  return !value || std::isnan(*value) ? "-" : fmt::format("{:.{}f}", *value, percent ? 2 : 4);
}

TasksJson json_of(const NamedMatrix& named, const TaskReferences& references) {
  const TaskMatrix& matrix = named.file.matrix;
  TasksJson out{{"matrix", named.name},
                {"unit", named.file.percent ? "percent" : "share"},
                {"tasks", matrix.size()},
                {"classes", matrix.classes},
                {"samples", matrix.samples}};
  for (Index i = 0; i < matrix.size(); ++i) {
    TasksJson row = TasksJson::array();
    TasksJson measures{{"after", matrix.number[static_cast<std::size_t>(i)]}};
    for (Index j = 0; j < matrix.size(); ++j) {
      row.push_back(number_or_null(matrix.accuracy(i, j)));
    }
    for (const TaskMeasure& measure : task_measures()) {
      const auto value = measure.value(matrix, i, references);
      measures[std::string(measure.name)] = value ? number_or_null(*value) : TasksJson(nullptr);
    }
    out["accuracy"].push_back(std::move(row));
    out["by_task"].push_back(std::move(measures));
  }
  out["final"] = out["by_task"].back();
  out["notes"] = named.file.notes;
  return out;
}

std::string csv_of(const NamedMatrix& named, const TaskReferences& references) {
  std::string out;
  const TaskMatrix& matrix = named.file.matrix;
  for (Index i = 0; i < matrix.size(); ++i) {
    for (const TaskMeasure& measure : task_measures()) {
      const auto value = measure.value(matrix, i, references);
      out += fmt::format("{},{},{},{}\n", named.name, matrix.number[static_cast<std::size_t>(i)],
                         measure.name, value ? fmt::to_string(*value) : "");
    }
  }
  return out;
}

std::string matrix_text(const NamedMatrix& named) {
  const TaskMatrix& matrix = named.file.matrix;
  std::vector<std::string> header{"after"};
  for (const Index number : matrix.number) {
    header.push_back(fmt::format("task {}", number));
  }
  TextTable table(header);
  for (Index i = 0; i < matrix.size(); ++i) {
    std::vector<std::string> row{std::to_string(matrix.number[static_cast<std::size_t>(i)])};
    for (Index j = 0; j < matrix.size(); ++j) {
      row.push_back(cell_of(matrix.accuracy(i, j), named.file.percent));
    }
    table.add(std::move(row));
  }
  return table.text();
}

std::string text_of(const NamedMatrix& named, const TaskReferences& references) {
  const TaskMatrix& matrix = named.file.matrix;
  const Index last = matrix.size() - 1;
  std::string out = fmt::format("{}: {} tasks, in {}\n\n", named.name, matrix.size(),
                                named.file.percent ? "percent" : "shares");
  if (matrix.size() <= kWidestShown) {
    out += matrix_text(named) + "\n";
  }
  std::vector<const TaskMeasure*> shown;
  for (const TaskMeasure& measure : task_measures()) {
    if (measure.value(matrix, last, references)) {
      shown.push_back(&measure);
    }
  }
  TextTable table({"measure", "after the last task", "after the task before", "better"});
  for (const TaskMeasure* measure : shown) {
    table.add({std::string(measure->name),
               cell_of(measure->value(matrix, last, references), named.file.percent),
               cell_of(measure->value(matrix, last - 1, references), named.file.percent),
               measure->better == Better::higher ? "higher" : "lower"});
  }
  out += table.text() + "\n";
  for (const TaskMeasure* measure : shown) {
    out += wrapped(fmt::format("{}: {} ({})", measure->name, measure->summary, measure->formula),
                   100, 0);
  }
  for (const std::string& note : named.file.notes) {
    out += wrapped("note: " + note, 100, 0);
  }
  return out;
}

}  // namespace

void add_tasks_options(CLI::App* command, TasksCall& call) {
  const std::string group = "Tasks of class-incremental learning";
  command
      ->add_option("--matrix", call.matrix,
                   "Accuracies, a row after each task and a column for each: a CSV file, RUN or "
                   "RUN:ARM")
      ->group(group);
  command
      ->add_option("--joint", call.joint,
                   "Accuracy of each task learned with all others, for intransigence: a file, "
                   "numbers, or RUN:ARM")
      ->group(group);
  command
      ->add_option("--untrained", call.untrained,
                   "Accuracy of each task untrained, for forward transfer: a file or numbers")
      ->group(group);
  command
      ->add_flag("--percent", call.file.percent,
                 "The matrix is in percent (standard: where a value is above 1)")
      ->group(group);
  command->add_option("--classes", call.file.classes, "Classes of each task: 11,10,10")
      ->delimiter(',')
      ->check(CLI::Range(Index{1}, Index{1'000'000'000}))
      ->group(group);
  command->add_option("--samples", call.file.samples, "Test samples of each task: 138,131,139")
      ->delimiter(',')
      ->check(CLI::Range(Index{1}, Index{1'000'000'000'000}))
      ->group(group);
}

void measure_tasks(const TasksCall& call, const TasksAnswer& answer) {
  if (call.matrix.empty()) {
    throw Error(ErrorKind::config, "--joint and --untrained go with --matrix");
  }
  if (!answer.targets.empty()) {
    throw Error(ErrorKind::config, fmt::format("--matrix takes its own file or run, and no target "
                                               "besides: {}",
                                               answer.targets.front()));
  }
  TasksJson json = TasksJson::array();
  std::string text;
  const std::vector<NamedMatrix> matrices = matrices_called(call);
  for (const NamedMatrix& named : matrices) {
    const TaskReferences references{reference_called("--untrained", call.untrained, named.file),
                                    reference_called("--joint", call.joint, named.file)};
    if (answer.json) {
      json.push_back(json_of(named, references));
    } else if (answer.csv) {
      text += csv_of(named, references);
    } else {
      text += (text.empty() ? "" : "\n") + text_of(named, references);
    }
    if (answer.csv && !answer.quiet) {
      for (const std::string& note : named.file.notes) {
        std::cerr << wrapped(note, 100, 0);
      }
    }
  }
  std::string content = answer.csv ? "matrix,after,measure,value\n" + text : text;
  if (answer.json) {
    content = (json.size() == 1 ? json.front() : json).dump(2) + "\n";
  }
  if (answer.out.empty()) {
    std::cout << content;
  } else {
    write_file(answer.out, content);
  }
}

}  // namespace tyto
