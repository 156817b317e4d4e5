// SPDX-License-Identifier: Apache-2.0
// Class-incremental learning (vCLIMB): task after task is learned with all of its labels, and after
// each every task seen so far is tested, nobody saying which task a sample is of.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/protocol/decided_belief.hpp"
#include "tyto/protocol/evaluation.hpp"
#include "tyto/protocol/grants.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {

namespace {

struct CilOptions {
  std::string setting = "offline";
  Index batch = 10;
  std::string evaluate = "each";
  bool validate = true;
  bool task_ids = false;
  bool look_ahead = false;

  void describe(OptionVisitor& visitor) {
    static constexpr std::array<std::string_view, 2> kSettings{"offline", "online"};
    static constexpr std::array<std::string_view, 2> kMoments{"each", "last"};
    visitor.field("setting", setting, kSettings,
                  "offline: the samples of a task are one lesson; online: they pass by once, in "
                  "lessons of `batch` samples, in the order shown");
    visitor.field("batch", batch, {1, 1e9}, "training samples of a lesson, online");
    visitor.field("evaluate", evaluate, kMoments,
                  "test after each task, or after the last alone, which tells neither forgetting "
                  "nor learning");
    visitor.field("validate", validate,
                  "give the labels of the validate split, as held-out samples");
    visitor.field("task_ids", task_ids,
                  "answer every test sample a second time, among the classes of its own task: "
                  "phase `aware`");
    visitor.field("look_ahead", look_ahead,
                  "predict the test samples of a task before it is learned: phase `pre`, for "
                  "forward transfer");
  }
};

// What is held out comes with the lessons in proportion, the first lesson never without.
std::pair<Index, Index> part_of(Index size, Index number, Index of) {
  const auto until = [&](Index n) { return (n * size + of - 1) / of; };
  return {until(number), until(number + 1)};
}

// Steps: with look_ahead a prediction of what is to come; then all lessons of a task; then its
// evaluation. A task without training samples has no lesson and is tested all the same.
class Cil final : public Protocol {
 public:
  explicit Cil(CilOptions options) : options_(std::move(options)) {}

  bool step(Exchange& exchange, Work& work) override {
    if (stage_ == Stage::arrive) {
      if (options_.evaluate == "last" && exchange.world.brief().steps == 0) {
        throw Error(ErrorKind::config,
                    "protocol cil: evaluate: last, but the world does not tell which step is its "
                    "last; say evaluate: each");
      }
      if (!exchange.world.advance()) {
        return false;
      }
      granted_ = {};
      const std::vector<Index> fresh = note_tests(exchange.world.deal());
      stage_ = Stage::teach;
      if (options_.look_ahead && !task_of_class_.empty() && !fresh.empty()) {
        const Split& test = *exchange.world.deal().find("test");
        predict(exchange, "pre", {test.name, test.samples.pick(fresh)}, work);
        return true;
      }
    }
    if (stage_ == Stage::teach) {
      const bool taught = teach(exchange, work);
      stage_ = Stage::evaluate;
      if (taught) {
        return true;
      }
    }
    evaluate(exchange, work);
    stage_ = Stage::arrive;
    return true;
  }

  [[nodiscard]] bool may_be_left() const override { return stage_ == Stage::arrive; }

  void save(State& state) const override {
    state.set("stage", static_cast<std::int64_t>(stage_));
    granted_.save(state);
    std::vector<std::int64_t> first_task;
    std::vector<std::string> first_class;
    for (const auto& [name, task] : task_of_class_) {
      first_class.push_back(name);
      first_task.push_back(task);
    }
    std::vector<std::int64_t> tasks;
    std::vector<std::string> classes;
    for (const auto& [task, names] : classes_of_task_) {
      for (const std::string& name : names) {
        tasks.push_back(task);
        classes.push_back(name);
      }
    }
    std::vector<std::int64_t> tests;
    std::vector<std::int64_t> steps;
    for (const auto& [id, step] : first_dealt_) {
      tests.push_back(id);
      steps.push_back(step);
    }
    state.set("first_task", std::move(first_task));
    state.set("first_class", std::move(first_class));
    state.set("tasks", std::move(tasks));
    state.set("classes", std::move(classes));
    state.set("tests", std::move(tests));
    state.set("dealt_at", std::move(steps));
  }

  void load(const State& state, const Shelf&) override {
    stage_ = static_cast<Stage>(state.get<std::int64_t>("stage"));
    granted_ = Grants::loaded(state);
    const auto& first_task = state.get<std::vector<std::int64_t>>("first_task");
    const auto& first_class = state.get<std::vector<std::string>>("first_class");
    for (std::size_t i = 0; i < first_class.size(); ++i) {
      task_of_class_[first_class[i]] = static_cast<Index>(first_task.at(i));
    }
    const auto& tasks = state.get<std::vector<std::int64_t>>("tasks");
    const auto& classes = state.get<std::vector<std::string>>("classes");
    for (std::size_t i = 0; i < classes.size(); ++i) {
      classes_of_task_[static_cast<Index>(tasks.at(i))].insert(classes[i]);
    }
    const auto& tests = state.get<std::vector<std::int64_t>>("tests");
    const auto& steps = state.get<std::vector<std::int64_t>>("dealt_at");
    for (std::size_t i = 0; i < tests.size(); ++i) {
      first_dealt_[static_cast<std::uint32_t>(tests[i])] = static_cast<Index>(steps.at(i));
    }
  }

 private:
  enum class Stage : std::uint8_t { arrive, teach, evaluate };

  // Rows of the test split that no earlier step has shown; without the options that want to know,
  // nothing is kept and there are none.
  std::vector<Index> note_tests(const Deal& deal) {
    std::vector<Index> fresh;
    const Split* test = deal.find("test");
    if (test == nullptr || (!options_.look_ahead && !options_.task_ids)) {
      return fresh;
    }
    for (Index i = 0; i < test->samples.size(); ++i) {
      if (first_dealt_.emplace(static_cast<std::uint32_t>(test->samples.id(i)), deal.step).second) {
        fresh.push_back(i);
      }
    }
    return fresh;
  }

  bool teach(Exchange& exchange, Work& work) {
    const Deal& deal = exchange.world.deal();
    const Split* train = deal.find("train");
    if (train == nullptr || train->samples.empty()) {
      return false;
    }
    const Feedback told = exchange.world.ask(FeedbackKind::labels, *train, all_rows(*train));
    Feedback held;
    const Split* validate = deal.find("validate");
    if (options_.validate && validate != nullptr && !validate->samples.empty()) {
      held = exchange.world.ask(FeedbackKind::labels, *validate, all_rows(*validate));
    }
    const Index size = std::ssize(told.row);
    const Index most = options_.setting == "online" ? options_.batch : std::max<Index>(1, size);
    const Index lessons = (size + most - 1) / most;
    for (Index number = 0; number < lessons; ++number) {
      work.progress.pulse();
      const Rows rows =
          Rows(told.row).subspan(static_cast<std::size_t>(number * most),
                                 static_cast<std::size_t>(std::min(most, size - number * most)));
      const auto from = told.name.begin() + number * most;
      Lesson lesson{train->samples.pick(rows), {from, from + std::ssize(rows)}, {}};
      if (!held.row.empty()) {
        // The validate split stands in for the holdout rule: nothing of train need be held out.
        lesson.roles.assign(lesson.names.size(), Role::fit);
        const auto [begin, end] = part_of(std::ssize(held.row), number, lessons);
        add_held(lesson, *validate, held, begin, end);
      }
      Work learning{work.rng.fork("lesson", static_cast<std::uint64_t>(number)), work.progress};
      exchange.predictor.learn(lesson, learning);
    }
    granted_.add(told.name);
    granted_.add(held.name);
    note_classes(exchange.world, *train, told);
    return lessons > 0;
  }

  static void add_held(Lesson& lesson, const Split& validate, const Feedback& held, Index begin,
                       Index end) {
    if (begin == end) {
      return;
    }
    const Rows rows = Rows(held.row).subspan(static_cast<std::size_t>(begin),
                                             static_cast<std::size_t>(end - begin));
    lesson.samples = Samples::joined(lesson.samples, validate.samples.pick(rows));
    lesson.names.insert(lesson.names.end(), held.name.begin() + begin, held.name.begin() + end);
    lesson.roles.resize(lesson.names.size(), Role::hold);
  }

  // Where the world does not tell tasks, each of its steps is one.
  void note_classes(const World& world, const Split& train, const Feedback& told) {
    const std::vector<Index> tasks = world.tasks_of(train);
    for (std::size_t i = 0; i < told.row.size(); ++i) {
      const Index task =
          tasks.empty() ? world.deal().step : tasks[static_cast<std::size_t>(told.row[i])];
      task_of_class_.try_emplace(told.name[i], task);
      classes_of_task_[task].insert(told.name[i]);
    }
  }

  void predict(Exchange& exchange, std::string_view phase, const Split& split, Work& work,
               const Adjust& adjust = {}) const {
    PhaseFacts facts = phase_facts(granted_, exchange.world);
    facts.task_of_class = task_of_class_;
    evaluate_split(exchange, {exchange.world.deal().step, std::string(phase), "test", 0}, facts,
                   split, {}, work, adjust);
  }

  void evaluate(Exchange& exchange, Work& work) const {
    const Deal& deal = exchange.world.deal();
    const Split* test = deal.find("test");
    const bool is_asked =
        options_.evaluate == "each" || deal.step + 1 == exchange.world.brief().steps;
    // Who has learned nothing yet has no answer.
    if (!is_asked || task_of_class_.empty() || test == nullptr || test->samples.empty()) {
      return;
    }
    predict(exchange, "post", *test, work);
    if (options_.task_ids) {
      predict_within_tasks(exchange, *test, work);
    }
  }

  // Where the world does not tell tasks, a test sample is of the step that first showed it.
  void predict_within_tasks(Exchange& exchange, const Split& test, Work& work) const {
    std::vector<Index> task = exchange.world.tasks_of(test);
    if (task.empty()) {
      for (Index i = 0; i < test.samples.size(); ++i) {
        task.push_back(first_dealt_.at(static_cast<std::uint32_t>(test.samples.id(i))));
      }
    }
    std::map<Index, std::vector<Label>> labels;
    for (const auto& [number, names] : classes_of_task_) {
      for (const std::string& name : names) {
        if (const auto label = exchange.predictor.labels().find(name)) {
          labels[number].push_back(*label);
        }
      }
    }
    predict(exchange, "aware", test, work, [&](Prediction& prediction, Index begin) {
      for (std::size_t i = 0; i < prediction.label.size(); ++i) {
        const auto found = labels.find(task[static_cast<std::size_t>(begin) + i]);
        if (found != labels.end()) {  // else nothing of its task was learned: the answer stays
          believe_known(prediction, static_cast<Index>(i), found->second);
        }
      }
      // These were said of all classes.
      prediction.log_known.resize(0, 0);
      prediction.sets.clear();
    });
  }

  CilOptions options_;
  Stage stage_ = Stage::arrive;
  Grants granted_;                              // at this step
  std::map<std::string, Index> task_of_class_;  // the first that brought it
  std::map<Index, std::set<std::string>> classes_of_task_;
  std::map<std::uint32_t, Index> first_dealt_;  // test samples: at which step
};

}  // namespace

ProtocolSpec cil_spec() {
  ProtocolSpec spec = protocol_spec<CilOptions, Cil>(
      "cil",
      "class-incremental learning: learn task after task with all labels, test every task seen so "
      "far",
      "Villa et al., vCLIMB: A Novel Video Class Incremental Learning Benchmark, CVPR 2022");
  spec.asks_for_labels = false;
  spec.headline = {
      {"final_accuracy", "accuracy",
       "After the last task: share of the test samples of a task that got their right name, mean "
       "over the tasks.",
       "post", "raw", "task_accuracy"},
      {"final_accuracy_by_class", "by class",
       "The same with each task counted by its number of classes, as the released vCLIMB code "
       "does.",
       "post", "raw", "task_accuracy_by_class"},
      {"incremental_accuracy", "incremental",
       "Share of all test samples of the tasks seen so far that got their right name, mean over "
       "the tasks after which it was asked.",
       "post", "raw", "average_incremental_accuracy"},
      {"backward_forgetting", "forgetting",
       "How much less often a task is right after the last task than just after it was learned, "
       "mean over the tasks before the last (BWF).",
       "post", "raw", "backward_forgetting"},
      {"learning_accuracy", "as learned",
       "Share of the test samples of a task that got their right name just after it was learned, "
       "mean over the tasks.",
       "post", "raw", "learning_accuracy"},
  };
  spec.order = {{"pre", "post", "aware"}, {"train", "validate", "test"}};
  return spec;
}

}  // namespace tyto
