// SPDX-License-Identifier: Apache-2.0
// The world `tasks`: classes in groups, learned one group after the other.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/world/manifest.hpp"
#include "tyto/world/simulated_data.hpp"
#include "tyto/world/tasks/run_cuts.hpp"
#include "tyto/world/tasks/task_plan.hpp"

namespace tyto {

namespace {

struct TaskWorldOptions {
  std::string file, lost = "refuse";
  ConfigNode simulated;
  TaskOptions deal;

  void describe(OptionVisitor& visitor) {
    static constexpr std::string_view kLosses[] = {"refuse", "leave_out"};
    visitor.field(
        "file", file, {},
        "list of tasks (.csv or .csv.gz) with the columns split, task, label, class_name, "
        "video_id and for segments t_start, t_end, video_frames, fps; joined to the "
        "samples by id = video_id");
    visitor.field("lost", lost, kLosses, "what the list has and the data have not, or vice versa");
    visitor.field("simulated", simulated,
                  "a simulated world whose samples stand for the data, with its options, as in "
                  "{kind: sequences, classes: 40}");
    deal.describe(visitor);
  }
};

std::string tasks_text(const TaskPlan& plan) {
  std::string text = fmt::format("{:>4} {:>8} {:>8} {:>9} {:>8} {:>12}\n", "task", "classes",
                                 "train", "validate", "test", "test so far");
  const std::vector<std::array<Index, 3>> counts = plan.counts();
  Index tests = 0;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    tests += counts[t][2];
    text += fmt::format("{:>4} {:>8} {:>8} {:>9} {:>8} {:>12}\n", t + 1, plan.classes[t].size(),
                        counts[t][0], counts[t][1], counts[t][2], tests);
  }
  if (!plan.options.borders) {
    text += fmt::format("without borders: {} steps of {} train samples\n",
                        plan.steps->schedule.size(), plan.options.batch);
  }
  return text;
}

// Train and validate rows of the tasks below `tasks`. Validate tests where there is any, else a
// share of train that is drawn.
TaskSamples rehearsed_samples(const TaskPlan& plan, Index tasks, const Rng& rng) {
  const Dataset& data = plan.steps->series.joined;
  std::vector<RunCut> cuts;
  std::vector<std::string> split;
  bool validates = false;
  for (const Side side : {Side::train, Side::validate}) {
    for (Index row = 0; row < data.table.size(); ++row) {
      if (plan.task[at(row)] < tasks && plan.side[at(row)] == side) {
        cuts.push_back(whole_run(data.table, row));
        split.emplace_back(side == Side::train ? "train" : "test");
        validates = validates || side == Side::validate;
      }
    }
  }
  Dataset first = cut_dataset(data, cuts);
  first.name = "rehearsal of " + data.name;
  first.table.split = validates ? split : std::vector<std::string>{};
  TaskOptions options;
  options.path = "search";
  options.trim = "untrimmed";  // what is shown is trimmed already
  return plain_samples(first, options, rng);
}

class TaskSource final : public PlanSource {
 public:
  explicit TaskSource(std::shared_ptr<const TaskPlan> plan)
      : PlanSource(plan->steps), tasks_(std::move(plan)) {}

  [[nodiscard]] WorldFacts facts() const override {
    WorldFacts facts = PlanSource::facts();
    facts.text = tasks_text(*tasks_);
    facts.notes = tasks_->notes;
    const std::vector<std::string> more{"task"};
    facts.manifest =
        manifest_csv(tasks_->steps->schedule, tasks_->steps->series.joined.table, more);
    return facts;
  }

  // The first tasks, one more than `increments` but never all of them; of two tasks or one, the
  // classes of the first are dealt as tasks of their own.
  [[nodiscard]] std::unique_ptr<WorldSource> rehearsal(const RehearsalOptions& rehearsal,
                                                       std::uint64_t seed) const override {
    const bool within = tasks_->tasks() <= 2;
    const Index tasks = within ? 1 : std::min(rehearsal.increments + 1, tasks_->tasks() - 1);
    const auto classes = static_cast<Index>(tasks_->classes.front().size());
    if (within && classes < 2) {
      throw Error(ErrorKind::data,
                  "options cannot be searched: there are two tasks at most, and the first has one "
                  "class; a rehearsal needs two tasks before the last, or two classes");
    }
    TaskSamples samples = rehearsed_samples(*tasks_, tasks, Rng(seed, "rehearsal"));
    TaskOptions options;
    options.path = "search";
    options.order = "file";
    options.borders = tasks_->options.borders;
    options.batch = tasks_->options.batch;
    options.overlap = tasks_->options.overlap;
    samples.classes.clear();
    for (Index t = 0; t < tasks; ++t) {
      for (const std::string& name : tasks_->classes[at(t)]) {
        samples.classes.push_back(name);
        samples.listed_task.push_back(t);
      }
    }
    if (within) {
      options.tasks = std::min(rehearsal.increments + 1, classes);
    }
    return build_tasks(std::move(samples), options, seed);
  }

 private:
  std::shared_ptr<const TaskPlan> tasks_;
};

}  // namespace

std::unique_ptr<WorldSource> build_tasks(TaskSamples samples, const TaskOptions& options,
                                         std::uint64_t seed) {
  return std::make_unique<TaskSource>(make_task_plan(std::move(samples), options, seed));
}

WorldSpec task_world_spec() {
  WorldSpec spec;
  spec.name = "tasks";
  spec.summary = "classes come in tasks, each task is learned once and tested from then on";
  spec.paper =
      "Villa et al., vCLIMB: A Novel Video Class Incremental Learning Benchmark, CVPR 2022";
  const auto read = [](const ConfigNode& node, std::string_view path) {
    auto options = read_options<TaskWorldOptions>(node, path);
    options.deal.path = path;
    options.deal.check();
    return options;
  };
  describe_options<TaskWorldOptions>(spec, read);
  spec.does_without_data = names_simulated;
  spec.build = [read](const ConfigNode& node, std::string_view path, std::vector<Dataset> datasets,
                      std::uint64_t seed) {
    const TaskWorldOptions options = read(node, path);
    add_simulated(options.simulated, path, seed, datasets);
    if (datasets.size() != 1) {
      throw Error(ErrorKind::config, fmt::format("{}: tasks are made of one dataset, {} are given",
                                                 path, datasets.size()));
    }
    const Dataset data = join_series(std::move(datasets)).joined;  // checks rows against the store
    const Rng rng = Rng(seed, "world").fork("samples");
    const Lost lost = options.lost == "refuse" ? Lost::refuse : Lost::leave_out;
    return build_tasks(options.file.empty() ? plain_samples(data, options.deal, rng)
                                            : listed_samples(data, load_task_list(options.file),
                                                             lost, options.deal, rng),
                       options.deal, seed);
  };
  return spec;
}

}  // namespace tyto
