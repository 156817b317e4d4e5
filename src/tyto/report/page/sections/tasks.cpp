// SPDX-License-Identifier: Apache-2.0
// Class-incremental learning: what is right of each task after each task, and what is kept for it.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "tyto/measure/formulas/task_matrix.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/pictures/exemplars.hpp"
#include "tyto/report/page/ranged.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kTwoSided95 = 1.959964;

struct TaskTitle {
  std::string_view measure, title;
};

constexpr std::string_view kWithinTask = "task_aware_accuracy";

// In the order of the table; the first is drawn first.
constexpr std::array kTaskTitles = {TaskTitle{"task_accuracy", "Accuracy"},
                                    TaskTitle{"task_accuracy_by_class", "by class"},
                                    TaskTitle{"overall_accuracy", "overall"},
                                    TaskTitle{"average_incremental_accuracy", "incremental"},
                                    TaskTitle{"learning_accuracy", "as learned"},
                                    TaskTitle{"old_accuracy", "old tasks"},
                                    TaskTitle{"new_accuracy", "newest task"},
                                    TaskTitle{"backward_forgetting", "Forgetting"},
                                    TaskTitle{"backward_forgetting_by_class", "forgotten by class"},
                                    TaskTitle{"task_forgetting", "from the best"},
                                    TaskTitle{"forward_transfer", "Forward"},
                                    TaskTitle{"intransigence", "Intransigence"},
                                    TaskTitle{kWithinTask, "task told"}};

const TaskMeasure& task_measure(std::string_view name) {
  const auto all = task_measures();
  return *std::find_if(all.begin(), all.end(),
                       [&](const TaskMeasure& measure) { return measure.name == name; });
}

struct SeedMatrices {
  TaskMatrix post, aware;
  TaskReferences references;
};

struct ArmMatrices {
  const PageArm* arm = nullptr;
  std::vector<SeedMatrices> seeds;

  // Of the seed that has come farthest, the first of equals.
  [[nodiscard]] const TaskMatrix& longest() const {
    return std::max_element(seeds.begin(), seeds.end(),
                            [](const SeedMatrices& a, const SeedMatrices& b) {
                              return a.post.size() < b.post.size();
                            })
        ->post;
  }

  [[nodiscard]] Index tasks() const { return longest().size(); }
};

std::optional<double> value_after(const SeedMatrices& seed, std::string_view name, Index i) {
  const bool aware = name == kWithinTask;
  const TaskMatrix& matrix = aware ? seed.aware : seed.post;
  return i >= 0 && i < matrix.size()
             ? task_measure(aware ? "task_accuracy" : name).value(matrix, i, seed.references)
             : std::nullopt;
}

// Of one seed: by the luck of the test samples, for measures of one test.
std::optional<double> deviation_after(const SeedMatrices& seed, std::string_view name, Index i) {
  const bool aware = name == kWithinTask;
  const TaskMatrix& matrix = aware ? seed.aware : seed.post;
  if (name == "task_accuracy" || aware) {
    return task_accuracy_deviation(matrix, i, TaskWeight::task);
  }
  if (name == "task_accuracy_by_class") {
    return task_accuracy_deviation(matrix, i, TaskWeight::class_count);
  }
  if (name == "overall_accuracy") {
    return task_accuracy_deviation(matrix, i, TaskWeight::sample);
  }
  return {};
}

Json ranged_after(const ArmMatrices& arm, std::string_view name, Index i) {
  std::vector<RangedValue> values;
  for (const SeedMatrices& seed : arm.seeds) {
    RangedValue value{value_after(seed, name, i), {}, {}};
    if (const auto deviation = value.value ? deviation_after(seed, name, i) : std::nullopt) {
      value.low = std::max(0.0, *value.value - kTwoSided95 * *deviation);
      value.high = std::min(1.0, *value.value + kTwoSided95 * *deviation);
    }
    values.push_back(value);
  }
  const RangedValue all = values.size() == 1 ? values.front() : spread_over(values);
  return json_ranged(all.value, all.low, all.high);
}

// Mean over the seeds that have it.
Json mean_matrix(const ArmMatrices& arm) {
  const Index tasks = arm.tasks();
  Json rows = Json::array();
  for (Index i = 0; i < tasks; ++i) {
    Json row = Json::array();
    for (Index j = 0; j < tasks; ++j) {
      double sum = 0;
      Index count = 0;
      for (const SeedMatrices& seed : arm.seeds) {
        const bool has =
            i < seed.post.size() && j < seed.post.size() && !std::isnan(seed.post.accuracy(i, j));
        sum += has ? seed.post.accuracy(i, j) : 0.0;
        count += has ? 1 : 0;
      }
      row.push_back(
          json_number(count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

struct HeldFrames {
  double classes = 0, samples = 0, frames = 0, bytes = 0;
};

// memory.csv of the first seed: what is in memory by task, and in the row without a class what all
// parts hold. Runs of before it have none.
struct ArmMemory {
  std::map<std::pair<Index, Index>, HeldFrames> by_task;  // by step and number of the task, 0 none
  std::map<Index, HeldFrames> all;                        // by step
  std::optional<double> shown;                            // frames, at the end
};

ArmMemory memory_of(const PageSource& source, const ArmMatrices& arm) {
  ArmMemory memory;
  const PageArm& of = *arm.arm;
  const PageTable* table = source.seed_of(of, of.seeds.front()).table("memory.csv");
  if (table == nullptr) {
    return memory;
  }
  const std::map<std::string, Index>& tasks = arm.longest().task_of_class;
  Index last = -1;
  for (std::size_t row = 0; row < table->rows.size(); ++row) {
    if (table->text(row, "arm") != of.name) {
      continue;
    }
    const auto step = static_cast<Index>(table->number(row, "increment").value_or(-1));
    const std::string& name = table->text(row, "class");
    const auto task = tasks.find(name);
    HeldFrames& held = name.empty()
                           ? memory.all[step]
                           : memory.by_task[{step, task == tasks.end() ? 0 : task->second}];
    held.classes += 1;
    held.samples += table->number(row, "samples").value_or(0);
    held.frames += table->number(row, "frames").value_or(0);
    held.bytes += table->number(row, "bytes").value_or(0);
    if (name.empty() && step >= last) {
      last = step;
      memory.shown = table->number(row, "frames_shown");
    }
  }
  return memory;
}

void add_memory(Json& lines, Index arm, const ArmMemory& memory) {
  for (const auto& [key, held] : memory.by_task) {
    lines.push_back({{"arm", arm},
                     {"step", key.first},
                     {"task", key.second},
                     {"classes", json_number(held.classes)},
                     {"samples", json_number(held.samples)},
                     {"frames", json_number(held.frames)},
                     {"bytes", json_number(held.bytes)}});
  }
}

// A reference that stands beside the others in its run: who learned everything together.
const ArmMatrices* joint_arm(const std::vector<ArmMatrices>& arms, std::size_t run) {
  for (const ArmMatrices& arm : arms) {
    if (arm.arm->run == run && arm.arm->predictor == "joint") {
      return &arm;
    }
  }
  return nullptr;
}

void give_references(std::vector<ArmMatrices>& arms) {
  for (ArmMatrices& arm : arms) {
    const ArmMatrices* joint = joint_arm(arms, arm.arm->run);
    if (joint == nullptr || joint == &arm) {
      continue;
    }
    for (std::size_t s = 0; s < arm.seeds.size() && s < joint->seeds.size(); ++s) {
      const TaskMatrix& other = joint->seeds[s].post;
      if (other.size() == arm.seeds[s].post.size()) {
        for (Index j = 0; j < other.size(); ++j) {
          arm.seeds[s].references.joint.push_back(other.accuracy(j, j));
        }
      }
    }
  }
}

std::vector<ArmMatrices> matrices_on(const PageSource& source, Progress& progress) {
  std::vector<ArmMatrices> arms;
  for (const PageArm& arm : source.arms) {
    ArmMatrices& made = arms.emplace_back();
    made.arm = &arm;
    for (const PageArm::OfSeed& seed : arm.seeds) {
      progress.pulse();
      const RunView run(*seed.record);
      made.seeds.push_back({task_matrix(run, "post"), task_matrix(run, "aware"), {}});
    }
    if (made.tasks() < 2) {
      arms.pop_back();
    }
  }
  give_references(arms);
  return arms;
}

Json arm_json(const ArmMatrices& arm, const std::vector<std::string_view>& measures,
              const ArmMemory& memory) {
  const TaskMatrix& first = arm.longest();
  Json values = Json::array();
  for (Index i = 0; i < arm.tasks(); ++i) {
    Json row = Json::array();
    for (const std::string_view name : measures) {
      row.push_back(ranged_after(arm, name, i));
    }
    values.push_back(std::move(row));
  }
  const bool kept = !memory.all.empty();
  const HeldFrames last = kept ? memory.all.rbegin()->second : HeldFrames{};
  return {{"arm", arm.arm->number},
          {"tasks", first.number},
          {"classes", first.classes},
          {"samples", first.samples},
          {"accuracy", mean_matrix(arm)},
          {"values", std::move(values)},
          {"frames", json_number(kept ? std::optional(last.frames) : std::nullopt)},
          {"bytes", json_number(kept ? std::optional(last.bytes) : std::nullopt)},
          {"shown", json_number(memory.shown)}};
}

std::vector<std::string_view> measures_on(const std::vector<ArmMatrices>& arms, Json& texts) {
  std::vector<std::string_view> names;
  for (const auto& [name, title] : kTaskTitles) {
    const bool has_value = std::any_of(arms.begin(), arms.end(), [&, of = name](const auto& arm) {
      return std::any_of(arm.seeds.begin(), arm.seeds.end(), [&](const SeedMatrices& seed) {
        return value_after(seed, of, seed.post.size() - 1).has_value();
      });
    });
    if (!has_value) {
      continue;
    }
    names.push_back(name);
    const bool aware = name == kWithinTask;
    const TaskMeasure& measure = task_measure(aware ? "task_accuracy" : name);
    texts.push_back(json_measure(name, title,
                                 aware ? "Share right of a task where the answer is sought among "
                                         "its classes, mean over the tasks seen so far."
                                       : measure.summary,
                                 measure.better));
  }
  return names;
}

std::optional<Json> build_tasks(const PageSource& source, Progress& progress) {
  const std::vector<ArmMatrices> arms = matrices_on(source, progress);
  if (arms.empty()) {
    return std::nullopt;
  }
  Json measures = Json::array();
  const std::vector<std::string_view> names = measures_on(arms, measures);
  Json shown = Json::array();
  Json memory = Json::array();
  std::vector<ExemplarArm> remembering;
  bool several = false;
  for (const ArmMatrices& arm : arms) {
    const ArmMemory held = memory_of(source, arm);
    shown.push_back(arm_json(arm, names, held));
    add_memory(memory, arm.arm->number, held);
    remembering.push_back({arm.arm, arm.longest().task_of_class});
    several = several || arm.seeds.size() > 1;
  }
  return Json{{"measures", std::move(measures)},
              {"arms", std::move(shown)},
              {"memory", std::move(memory)},
              {"exemplars", exemplars_json(source, remembering)},
              {"interval", several ? "mean, least and greatest of the " + source.repeats()
                                   : "95 % intervals by the number of test samples, for shares "
                                     "right of one test"}};
}

}  // namespace

SectionSpec tasks_section() {
  return {"tasks",
          "Class after class",
          "How much is right of every task seen so far after each task, what is lost of the old "
          "ones, and what is kept to prevent it.",
          {.phases = {"post"}, .several_steps = true},
          15,
          build_tasks};
}

}  // namespace tyto
