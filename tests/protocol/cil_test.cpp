// SPDX-License-Identifier: Apache-2.0
#include "protocol/letter_run.hpp"

#include "tyto/core/error.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

OwlRun::MakeProtocol cil(const std::string& options) {
  return [options] { return find_protocol("cil").make(parse_yaml(options, "test"), "protocol"); };
}

const std::vector<OwlDeal> kTasks{{"aabb", "ab", "ab"}, {"cc", "", "abc"}, {"dad", "", "abcd"}};

TEST(Cil, learns_each_task_with_all_labels_and_then_is_tested) {
  OwlRun run(kTasks, cil("{}"));
  EXPECT_THAT(run.all().of_predictor(),
              ElementsAre("learn 0t0=a/fit 0t1=a/fit 0t2=b/fit 0t3=b/fit 0v0=a/hold 0v1=b/hold",
                          "predict 0e0 0e1",                           //
                          "learn 1t0=c 1t1=c", "predict 1e0 1e1 1e2",  //
                          "learn 2t0=d 2t1=a 2t2=d", "predict 2e0 2e1 2e2 2e3"));
  EXPECT_EQ(run.steps(), 6U);
  EXPECT_THAT(run.calls({"begin"}), ElementsAre("begin 000_post_test: granted ab (6), shown ab",
                                                "begin 001_post_test: granted c (2), shown ab",
                                                "begin 002_post_test: granted ad (3), shown abc"));
}

TEST(Cil, keeps_the_validate_split_to_itself_where_it_is_told_to) {
  OwlRun run(kTasks, cil("{validate: false}"));
  run.step();
  EXPECT_THAT(run.calls({"ask", "learn"}),
              ElementsAre("ask train: 0t0 0t1 0t2 0t3", "learn 0t0=a 0t1=a 0t2=b 0t3=b"));
}

TEST(Cil, shows_an_online_task_once_in_lessons_of_a_batch) {
  OwlRun run(kTasks, cil("{setting: online, batch: 3}"));
  EXPECT_THAT(run.all().calls({"learn"}),
              ElementsAre("learn 0t0=a/fit 0t1=a/fit 0t2=b/fit 0v0=a/hold",
                          "learn 0t3=b/fit 0v1=b/hold",  //
                          "learn 1t0=c 1t1=c", "learn 2t0=d 2t1=a 2t2=d"));
  EXPECT_EQ(run.steps(), 6U);  // the lessons of a task are one step
  // Of what is held out the first lesson has its share, however little there is.
  OwlRun little({{"aabb", "a", "ab"}}, cil("{setting: online, batch: 2}"));
  EXPECT_THAT(little.all().calls({"learn"}),
              ElementsAre("learn 0t0=a/fit 0t1=a/fit 0v0=a/hold", "learn 0t2=b/fit 0t3=b/fit"));
  const std::vector<double>& drawn = run.log().numbers;
  EXPECT_NE(drawn[0], drawn[1]);  // a stream of its own each
}

TEST(Cil, is_tested_at_the_end_alone_where_it_is_told_to) {
  OwlRun run(kTasks, cil("{evaluate: last}"));
  EXPECT_THAT(run.all().calls({"begin"}), ElementsAre(StartsWith("begin 002_post_test")));
}

TEST(Cil, looks_ahead_at_tests_that_no_earlier_step_has_shown) {
  OwlRun run(kTasks, cil("{look_ahead: true}"));
  EXPECT_THAT(
      run.all().calls({"begin", "predict 1"}),
      ElementsAre(StartsWith("begin 000_post_test"), "begin 001_pre_test: granted  (0), shown ab",
                  "predict 1e0 1e1 1e2", StartsWith("begin 001_post_test"), "predict 1e0 1e1 1e2",
                  StartsWith("begin 002_pre_test"), StartsWith("begin 002_post_test")));
}

TEST(Cil, goes_on_after_a_task_without_training_samples) {
  OwlRun run({{"ab", "", "ab"}, {"", "c", "abc"}, {"d", "", "d"}}, cil("{}"));
  EXPECT_THAT(run.all().of_predictor(),
              ElementsAre("learn 0t0=a 0t1=b", "predict 0e0 0e1", "predict 1e0 1e1 1e2",
                          "learn 2t0=d", "predict 2e0"));
  OwlRun late({{"", "", "a"}, {"a", "", "a"}}, cil("{look_ahead: true}"));
  EXPECT_THAT(late.all().of_predictor(), ElementsAre("learn 1t0=a", "predict 1e0"));
}

TEST(Cil, asks_for_no_label_of_a_test) {
  OwlRun run(kTasks, cil("{look_ahead: true, task_ids: true}"));
  EXPECT_THAT(run.all().calls({"ask test", "observe", "request"}), IsEmpty());
}

// Says class 0 of its space everywhere but believes in what it was told first, then second, ...
struct FirstBeliever final : Predictor {
  LabelSpace space;

  void learn(const Lesson& lesson, Work&) override {
    for (const std::string& name : lesson.names) {
      space.add_known(name);
    }
  }

  std::vector<float> observe(const Samples&, Work&) override { return {}; }

  [[nodiscard]] Prediction predict(const Samples& samples, Ask) const override {
    Prediction prediction;
    prediction.space = std::make_shared<const LabelSpace>(space);
    prediction.probability = Matrix::Zero(samples.size(), space.size());
    for (Index entry = 1; entry < space.size(); ++entry) {
      prediction.probability.col(entry).setConstant(1.0F / static_cast<float>(entry));
    }
    const auto n = static_cast<std::size_t>(samples.size());
    prediction.label.assign(n, static_cast<Label>(1));
    prediction.novelty.assign(n, 0.0F);
    prediction.p_value.assign(n, 1.0F);
    return prediction;
  }

  std::vector<Index> request(const Samples&, Index, Work&) const override { return {}; }

  [[nodiscard]] const LabelSpace& labels() const override { return space; }

  void save(State&) const override {}

  void load(const State&, const Shelf&) override {}
};

// A world that tells no tasks: each step is one.
struct Untold final : World {
  IncrementWorld world;

  explicit Untold(std::shared_ptr<const IncrementPlan> plan) : world(std::move(plan), {}) {}

  [[nodiscard]] Brief brief() const override { return {}; }

  bool advance() override { return world.advance(); }

  [[nodiscard]] const Deal& deal() const override { return world.deal(); }

  Feedback ask(FeedbackKind kind, const Split& split, Rows order) override {
    return world.ask(kind, split, order);
  }

  [[nodiscard]] Index budget(const Split& split) const override { return world.budget(split); }

  void save(State&) const override {}

  void load(const State&, const Shelf&) override {}
};

struct Decisions final : Recorder {
  std::map<std::string, std::string> by_phase;
  std::map<std::string, Index> tasks;
  std::string* now = nullptr;

  void begin(const PhaseKey& key, const PhaseFacts& facts) override {
    now = &by_phase[key.name()];
    tasks = facts.task_of_class;
  }

  void add(const Samples&, const Prediction& prediction, std::span<const float>) override {
    for (const Label label : prediction.label) {
      *now += prediction.space->name(label);
    }
  }

  void end() override {}
};

void run_over(World& world, const std::string& options, Decisions& decisions) {
  FirstBeliever predictor;
  Progress progress;
  EmptyShelf shelf;
  Exchange exchange{world, predictor, decisions, shelf, Rng(1)};
  const auto protocol = cil(options)();
  Work work{Rng(1), progress};
  while (protocol->step(exchange, work)) {
  }
}

TEST(Cil, answers_among_the_classes_of_the_task_besides) {
  IncrementWorld told(plan_of_letters(kTasks), {});
  Decisions decisions;
  run_over(told, "{task_ids: true}", decisions);
  EXPECT_EQ(decisions.by_phase.at("002_post_test"), "aaaa");
  EXPECT_EQ(decisions.by_phase.at("002_aware_test"), "aacd");  // tests a, b, c and d
  EXPECT_EQ(decisions.tasks,
            (std::map<std::string, Index>{{"a", 0}, {"b", 0}, {"c", 1}, {"d", 2}}));
}

// A stream without borders: c and d come at two steps but are one task.
TEST(Cil, takes_the_tasks_the_data_tell) {
  auto plan = std::make_shared<IncrementPlan>(*plan_of_letters(kTasks));
  for (const std::string& label : plan->truth.label) {
    plan->truth.annotations["task"].push_back(label == "c" || label == "d" ? "2" : "1");
  }
  IncrementWorld told(plan, {});
  Decisions decisions;
  run_over(told, "{task_ids: true}", decisions);
  EXPECT_EQ(decisions.by_phase.at("002_aware_test"), "aacc");
  EXPECT_EQ(decisions.tasks,
            (std::map<std::string, Index>{{"a", 0}, {"b", 0}, {"c", 1}, {"d", 1}}));
}

TEST(Cil, takes_the_step_for_the_task_where_the_world_tells_none) {
  Untold untold(plan_of_letters(kTasks));
  Decisions decisions;
  run_over(untold, "{task_ids: true}", decisions);
  // Each step has tests of its own here, so all of step 1 are taken for task 1, which brought c.
  EXPECT_EQ(decisions.by_phase.at("001_aware_test"), "ccc");
  EXPECT_EQ(decisions.tasks.at("d"), 2);
}

TEST(Cil, must_know_the_last_step_to_test_there_alone) {
  Untold untold(plan_of_letters(kTasks));
  try {
    Decisions decisions;
    run_over(untold, "{evaluate: last}", decisions);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_THAT(error.what(), HasSubstr("say evaluate: each"));
  }
}

}  // namespace
}  // namespace tyto
