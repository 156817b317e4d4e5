// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/owl.hpp"

#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/archive.hpp"
#include "tyto/core/error.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/world/increment_world.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Calls = std::vector<std::string>;

struct OwlDeal {  // of one increment; each letter is a sample of the class of that name
  std::string train, validate, test;
};

// Sample 2 of increment 1 is called 1t2 in train, 1v2 in validate and 1e2 in test.
std::shared_ptr<const IncrementPlan> plan_of_letters(const std::vector<OwlDeal>& deals) {
  Dataset dataset;
  dataset.name = "letters";
  Schedule schedule;
  std::set<std::string> shown;
  for (std::size_t step = 0; step < deals.size(); ++step) {
    Increment increment;
    std::set<std::string> here;
    const std::array<const std::string*, 3> letters{&deals[step].train, &deals[step].validate,
                                                    &deals[step].test};
    for (std::size_t side = 0; side < letters.size(); ++side) {
      for (std::size_t i = 0; i < letters[side]->size(); ++i) {
        const std::string label(1, (*letters[side])[i]);
        increment.splits[side].row.push_back(dataset.table.size());
        increment.splits[side].novel.push_back(step > 0 && !shown.contains(label));
        dataset.table.id.push_back(fmt::format("{}{}{}", step, "tve"[side], i));
        dataset.table.label.push_back(label);
        here.insert(label);
      }
    }
    for (const std::string& label : here) {
      if (shown.insert(label).second) {
        schedule.first_shown.emplace_back(label, step == 0 ? -1 : static_cast<Index>(step));
      }
    }
    schedule.increments.push_back(std::move(increment));
  }
  dataset.store = std::make_shared<const DenseStore>(Matrix(Matrix::Zero(dataset.table.size(), 1)));
  return make_plan(join_series({std::move(dataset)}), std::move(schedule), Rng(4));
}

// Every call to world, predictor and recorder, in order, samples by name; and every number drawn
// or predicted, to tell whether a resumed run is the same run.
struct OwlLog {
  const Truth& truth;
  Calls calls = {};
  std::vector<double> numbers = {};

  [[nodiscard]] std::string say(const Samples& samples) const {
    Calls names;
    for (Index i = 0; i < samples.size(); ++i) {
      names.push_back(truth.name[static_cast<std::size_t>(samples.id(i))]);
    }
    return fmt::format("{}", fmt::join(names, " "));
  }
};

class SpyWorld final : public World {
 public:
  SpyWorld(std::shared_ptr<const IncrementPlan> plan, const LabelBudget& budget, OwlLog& log)
      : world_(std::move(plan), budget), log_(log) {}

  [[nodiscard]] Brief brief() const override { return world_.brief(); }

  bool advance() override { return world_.advance(); }

  [[nodiscard]] const Deal& deal() const override { return world_.deal(); }

  void post(const Answer& answer) override {
    log_.calls.push_back(fmt::format("post {}: {}, changed {}", answer.split.name,
                                     log_.say(answer.split.samples),
                                     fmt::join(answer.changed, " ")));
    EXPECT_EQ(static_cast<Index>(answer.prediction.label.size()), answer.split.samples.size());
  }

  Feedback ask(FeedbackKind kind, const Split& split, Rows order) override {
    EXPECT_EQ(kind, FeedbackKind::labels);
    Feedback feedback = world_.ask(kind, split, order);
    log_.calls.push_back(
        fmt::format("ask {}: {}", split.name, log_.say(split.samples.pick(order))));
    return feedback;
  }

  [[nodiscard]] Index budget(const Split& split) const override { return world_.budget(split); }

  [[nodiscard]] Calls shown_before() const override { return world_.shown_before(); }

  void save(State& state) const override { world_.save(state); }

  void load(const State& state, const Shelf& shelf) override { world_.load(state, shelf); }

 private:
  IncrementWorld world_;
  OwlLog& log_;
};

// Wants labels from the last sample to the first; takes row i for changed with chance 1 / (i + 2).
class ScriptedPredictor final : public Predictor {
 public:
  ScriptedPredictor(OwlLog& log, bool alarm) : log_(log), alarm_(alarm) {}

  void learn(const Lesson& lesson, Work& work) override {
    ASSERT_EQ(lesson.samples.size(), static_cast<Index>(lesson.names.size()));
    ASSERT_TRUE(lesson.roles.empty() || lesson.roles.size() == lesson.names.size());
    Calls given;
    for (Index i = 0; i < lesson.samples.size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      given.push_back(log_.say(lesson.samples.slice(i, 1)) + "=" + lesson.names[at]);
      if (!lesson.roles.empty()) {
        given.back() += lesson.roles[at] == Role::hold ? "/hold" : "/fit";
      }
      space_.add_known(lesson.names[at]);
    }
    log_.calls.push_back(fmt::format("learn {}", fmt::join(given, " ")));
    log_.numbers.push_back(work.rng.uniform());
    ++lessons_;
  }

  std::vector<float> observe(const Samples& unlabelled, Work& work) override {
    log_.calls.push_back("observe " + log_.say(unlabelled));
    log_.numbers.push_back(work.rng.uniform());
    observed_ += unlabelled.size();
    std::vector<float> changed;
    for (Index i = 0; alarm_ && i < unlabelled.size(); ++i) {
      changed.push_back(1.0F / static_cast<float>(i + 2));
    }
    return changed;
  }

  [[nodiscard]] Prediction predict(const Samples& samples, Ask) const override {
    log_.calls.push_back("predict " + log_.say(samples));
    const auto n = static_cast<std::size_t>(samples.size());
    Prediction prediction;
    prediction.space = std::make_shared<const LabelSpace>(space_);
    prediction.probability =
        Matrix::Constant(samples.size(), space_.size(), 1.0F / static_cast<float>(space_.size()));
    prediction.label.assign(n, static_cast<Label>(observed_ % space_.size()));
    prediction.novelty.assign(n, static_cast<float>(observed_));
    prediction.p_value.assign(n, static_cast<float>(lessons_));
    return prediction;
  }

  std::vector<Index> request(const Samples& samples, Index budget, Work& work) const override {
    log_.calls.push_back(fmt::format("request {} of {}", budget, log_.say(samples)));
    log_.numbers.push_back(work.rng.uniform());
    std::vector<Index> order;
    for (Index i = samples.size() - 1; i >= 0; --i) {
      order.push_back(i);
    }
    return order;
  }

  [[nodiscard]] const LabelSpace& labels() const override { return space_; }

  void save(State& state) const override {
    space_.save(state.make_child("space"));
    state.set("lessons", std::int64_t{lessons_});
    state.set("observed", std::int64_t{observed_});
  }

  void load(const State& state, const Shelf&) override {
    space_ = LabelSpace::loaded(state.child("space"));
    lessons_ = static_cast<Index>(state.get<std::int64_t>("lessons"));
    observed_ = static_cast<Index>(state.get<std::int64_t>("observed"));
  }

 private:
  OwlLog& log_;
  bool alarm_;
  LabelSpace space_;
  Index lessons_ = 0, observed_ = 0;
};

struct SpyRecorder final : Recorder {
  OwlLog& log;

  explicit SpyRecorder(OwlLog& to) : log(to) {}

  void begin(const PhaseKey& key, const PhaseFacts& facts) override {
    log.calls.push_back(fmt::format("begin {}: granted {} ({}), shown {}", key.name(),
                                    fmt::join(facts.granted, ""), facts.labels_granted,
                                    fmt::join(facts.shown, "")));
  }

  void add(const Samples& samples, const Prediction& prediction,
           std::span<const float> changed) override {
    log.calls.push_back(
        fmt::format("add {}, changed {}", log.say(samples), fmt::join(changed, " ")));
    for (std::size_t i = 0; i < prediction.label.size(); ++i) {
      log.numbers.push_back(static_cast<double>(prediction.label[i]));
      log.numbers.push_back(static_cast<double>(prediction.novelty[i]));
      log.numbers.push_back(static_cast<double>(prediction.p_value[i]));
    }
  }

  void end() override { log.calls.emplace_back("end"); }
};

class OwlRun {
 public:
  explicit OwlRun(const std::vector<OwlDeal>& deals, const LabelBudget& budget = {},
                  OwlOptions options = {}, bool alarm = false)
      : plan_(plan_of_letters(deals)),
        budget_(budget),
        options_(std::move(options)),
        alarm_(alarm),
        log_{plan_->truth} {
    make();
  }

  bool step() {
    Work work{Rng(9, "step", steps_), progress_};  // as a run does: a stream per commit
    Exchange exchange{*world_, *predictor_, recorder_};
    const bool done = owl_->step(exchange, work);
    steps_ += done ? 1 : 0;
    return done;
  }

  OwlRun& all() {
    while (step()) {
    }
    return *this;
  }

  void restart() {  // everything that is saved dies and comes back from the bytes of an archive
    State state;
    world_->save(state.make_child("world"));
    predictor_->save(state.make_child("predictor"));
    owl_->save(state.make_child("protocol"));
    const State read = from_archive(to_archive(state), "test");
    make();
    world_->load(read.child("world"), EmptyShelf());
    predictor_->load(read.child("predictor"), EmptyShelf());
    owl_->load(read.child("protocol"), EmptyShelf());
  }

  [[nodiscard]] std::uint64_t steps() const { return steps_; }

  [[nodiscard]] const OwlLog& log() const { return log_; }

  // The calls that begin with one of these words.
  [[nodiscard]] Calls calls(const Calls& words) const {
    Calls some;
    for (const std::string& call : log_.calls) {
      for (const std::string& word : words) {
        if (call.starts_with(word)) {
          some.push_back(call);
          break;
        }
      }
    }
    return some;
  }

  [[nodiscard]] Calls of_predictor() const {
    return calls({"learn ", "observe ", "predict ", "request "});
  }

 private:
  void make() {
    world_ = std::make_unique<SpyWorld>(plan_, budget_, log_);
    predictor_ = std::make_unique<ScriptedPredictor>(log_, alarm_);
    owl_ = std::make_unique<Owl>(options_);
  }

  std::shared_ptr<const IncrementPlan> plan_;
  LabelBudget budget_;
  OwlOptions options_;
  bool alarm_;
  OwlLog log_;
  std::unique_ptr<SpyWorld> world_;
  std::unique_ptr<ScriptedPredictor> predictor_;
  std::unique_ptr<Owl> owl_;
  SpyRecorder recorder_{log_};
  Progress progress_;
  std::uint64_t steps_ = 0;
};

OwlOptions only(Calls observe, Calls evaluate, std::string order = "together") {
  return {std::move(observe), std::move(order), std::move(evaluate), true};
}

const std::vector<OwlDeal> kTwo{{"aab", "ab", "a"}, {"bccd", "c", "de"}};
const std::vector<OwlDeal> kFour{
    {"aabb", "b", "ab"}, {"abcc", "c", "ad"}, {"abcd", "", "eb"}, {"eeabcda", "e", "f"}};

TEST(Owl, teaches_and_predicts_the_start_then_observes_predicts_asks_learns_and_predicts) {
  OwlRun run(kTwo, {0.5, {}});
  EXPECT_THAT(run.all().of_predictor(),
              ElementsAre("learn 0t0=a/fit 0t1=a/fit 0t2=b/fit 0v0=a/hold 0v1=b/hold",  //
                          "predict 0t0 0t1 0t2", "predict 0v0 0v1", "predict 0e0",      //
                          "observe 1t0 1t1 1t2 1t3",                                    //
                          "predict 1t0 1t1 1t2 1t3", "predict 1v0", "predict 1e0 1e1",  //
                          "request 2 of 1t0 1t1 1t2 1t3",                               //
                          "learn 1t3=d 1t2=c",                                          //
                          "predict 1t0 1t1 1t2 1t3", "predict 1v0", "predict 1e0 1e1"));
  EXPECT_EQ(run.steps(), 5U);  // teach, post; pre, teach, post
  EXPECT_FALSE(run.step());
  EXPECT_EQ(run.steps(), 5U);
}

TEST(Owl, posts_and_records_each_prediction_between_begin_and_end) {
  OwlRun run(kTwo, {0.5, {}}, only({}, {"test"}));
  EXPECT_THAT(
      run.all().log().calls,
      ElementsAre("ask train: 0t0 0t1 0t2", "ask validate: 0v0 0v1", StartsWith("learn "),  //
                  StartsWith("begin 000_post_test"), "predict 0e0", "post test: 0e0, changed ",
                  "add 0e0, changed ", "end",  //
                  StartsWith("begin 001_pre_test"), "predict 1e0 1e1",
                  "post test: 1e0 1e1, changed ", "add 1e0 1e1, changed ", "end",  //
                  StartsWith("request "), "ask train: 1t3 1t2 1t1 1t0", StartsWith("learn "),
                  StartsWith("begin 001_post_test"), "predict 1e0 1e1",
                  "post test: 1e0 1e1, changed ", "add 1e0 1e1, changed ", "end"));
}

TEST(Owl, learns_once_only_without_a_budget) {
  for (const LabelBudget& budget : {LabelBudget{0.0, {}}, LabelBudget{1.0, 0}}) {
    OwlRun run(kFour, budget);
    EXPECT_THAT(run.all().calls({"learn", "request"}), ElementsAre(StartsWith("learn 0t0=a")));
    EXPECT_EQ(run.steps(), 2U + 3U * 3U);
    EXPECT_EQ(run.calls({"observe"}).size(), 3U);
    EXPECT_THAT(run.calls({"begin 003"}), Each(HasSubstr("granted  (0)")));
  }
}

TEST(Owl, gets_the_floor_of_a_fraction_of_labels_first_of_the_requested_order) {
  // 0.4 of 4, 4 and 7 rows: floor(1.6) = 1, 1 and floor(2.8) = 2.
  EXPECT_THAT(OwlRun(kFour, {0.4, {}}).all().calls({"learn", "request"}),
              ElementsAre(StartsWith("learn 0t0=a"),                      //
                          "request 1 of 1t0 1t1 1t2 1t3", "learn 1t3=c",  //
                          "request 1 of 2t0 2t1 2t2 2t3", "learn 2t3=d",  //
                          "request 2 of 3t0 3t1 3t2 3t3 3t4 3t5 3t6", "learn 3t6=a 3t5=d"));
  // 0.2 of 4 is less than one label: nobody is asked and nothing is learned, but of 7 it is one.
  EXPECT_THAT(
      OwlRun(kFour, {0.2, {}}).all().calls({"learn", "request"}),
      ElementsAre(StartsWith("learn 0t0=a"), StartsWith("request 1 of 3t0"), "learn 3t6=a"));
  EXPECT_THAT(OwlRun(kFour, {1.0, {}}).all().calls({"learn 2"}),
              ElementsAre("learn 2t3=d 2t2=c 2t1=b 2t0=a"));
}

TEST(Owl, spends_a_global_budget_until_it_is_gone) {
  // 6 labels over increments of 4, 4 and 7: 4, 2, none. The start is free.
  EXPECT_THAT(OwlRun(kFour, {1.0, 6}).all().calls({"learn", "request"}),
              ElementsAre(StartsWith("learn 0t0=a"),                                        //
                          StartsWith("request 4 of 1t0"), "learn 1t3=c 1t2=c 1t1=b 1t0=a",  //
                          StartsWith("request 2 of 2t0"), "learn 2t3=d 2t2=c"));
}

TEST(Owl, asks_for_no_test_label_and_gives_names_through_lessons_alone) {
  OwlRun run(kFour);  // f is in a test split only
  run.all();
  const Calls asked = run.calls({"ask"});
  ASSERT_EQ(asked.size(), 5U);
  EXPECT_THAT(asked, Contains(StartsWith("ask validate")).Times(1));
  EXPECT_THAT(asked[1], StartsWith("ask validate: 0v0"));
  EXPECT_THAT(asked, Contains(StartsWith("ask train")).Times(4));
  std::map<std::string, std::string> label_of;
  for (std::size_t i = 0; i < run.log().truth.name.size(); ++i) {
    label_of[run.log().truth.name[i]] = run.log().truth.label[i];
  }
  Index taught = 0;
  for (const std::string& call : run.of_predictor()) {
    if (!call.starts_with("learn ")) {
      EXPECT_THAT(call, Not(HasSubstr("=")));
      continue;
    }
    EXPECT_THAT(call, AllOf(Not(HasSubstr("e0=")), Not(HasSubstr("e1=")), Not(HasSubstr("=f"))));
    for (std::size_t at = call.find('='); at != call.npos; at = call.find('=', at + 1), ++taught) {
      EXPECT_EQ(call.substr(at + 1, 1), label_of.at(call.substr(at - 3, 3))) << call;
    }
  }
  EXPECT_EQ(taught, 4 + 1 + 4 + 4 + 7);
}

TEST(Owl, gives_validate_of_the_start_as_held_out_or_not_at_all) {
  OwlOptions without;
  without.initial_validate = false;
  OwlRun run(kTwo, {}, without);
  run.step();
  EXPECT_THAT(run.log().calls, ElementsAre("ask train: 0t0 0t1 0t2", "learn 0t0=a 0t1=a 0t2=b"));
  // Without a validate split the holdout rule decides as well.
  OwlRun none({{"ab", "", "a"}});
  none.step();
  EXPECT_THAT(none.log().calls, ElementsAre("ask train: 0t0 0t1", "learn 0t0=a 0t1=b"));
}

TEST(Owl, observes_the_named_splits_once_per_increment_before_any_prediction) {
  OwlRun run(kTwo, {0.0, {}}, only({"test", "train"}, {"train", "validate", "test"}));
  EXPECT_THAT(run.all().calls({"observe", "predict 1"}),
              ElementsAre("observe 1t0 1t1 1t2 1t3", "observe 1e0 1e1",                   // deal's
                          "predict 1t0 1t1 1t2 1t3", "predict 1v0", "predict 1e0 1e1",    // pre
                          "predict 1t0 1t1 1t2 1t3", "predict 1v0", "predict 1e0 1e1"));  // post
  EXPECT_THAT(OwlRun(kFour, {}, only({}, {"test"})).all().calls({"observe"}), IsEmpty());
  EXPECT_THAT(OwlRun(kFour, {}, only({"validate"}, {"test"})).all().calls({"observe"}),
              ElementsAre("observe 1v0", "observe 3v0"));  // increment 2 has none
}

TEST(Owl, observes_in_turn_just_before_the_own_prediction) {
  OwlRun run(kTwo, {0.0, {}}, only({"train", "test"}, {"train", "validate", "test"}, "in_turn"));
  EXPECT_THAT(run.all().calls({"observe", "predict 1"}),
              ElementsAre("observe 1t0 1t1 1t2 1t3", "predict 1t0 1t1 1t2 1t3",  //
                          "predict 1v0",                                         //
                          "observe 1e0 1e1", "predict 1e0 1e1",                  //
                          "predict 1t0 1t1 1t2 1t3", "predict 1v0", "predict 1e0 1e1"));
  // A split that is not predicted is observed nonetheless.
  OwlRun unseen(kTwo, {0.0, {}}, only({"train"}, {"test"}, "in_turn"));
  EXPECT_THAT(unseen.all().calls({"observe", "predict 1"}),
              ElementsAre("observe 1t0 1t1 1t2 1t3", "predict 1e0 1e1", "predict 1e0 1e1"));
}

TEST(Owl, evaluates_the_named_splits_that_have_samples_in_the_order_of_the_deal) {
  OwlRun run(kFour, {0.0, {}}, only({}, {"test", "validate"}));
  Calls names;
  for (const std::string& call : run.all().calls({"begin"})) {
    names.push_back(call.substr(6, call.find(':') - 6));
  }
  EXPECT_THAT(
      names, ElementsAre("000_post_validate", "000_post_test",  //
                         "001_pre_validate", "001_pre_test", "001_post_validate",
                         "001_post_test",                  //
                         "002_pre_test", "002_post_test",  //
                         "003_pre_validate", "003_pre_test", "003_post_validate", "003_post_test"));
}

TEST(Owl, tells_the_recorder_what_was_granted_at_this_increment_and_shown_before_it) {
  OwlOptions options = only({}, {"test"});
  options.initial_validate = false;
  // Half of 4, 4 and 7: the last two are cc, dc; the last three of eeabcda are a, d, c. Shown
  // before: a and b at the start, d in test at 1, e in test at 2.
  EXPECT_THAT(OwlRun(kFour, {0.5, {}}, options).all().calls({"begin"}),
              ElementsAre("begin 000_post_test: granted ab (4), shown ab",    //
                          "begin 001_pre_test: granted  (0), shown ab",       //
                          "begin 001_post_test: granted c (2), shown ab",     //
                          "begin 002_pre_test: granted  (0), shown abcd",     //
                          "begin 002_post_test: granted cd (2), shown abcd",  //
                          "begin 003_pre_test: granted  (0), shown abcde",    //
                          "begin 003_post_test: granted acd (3), shown abcde"));
}

TEST(Owl, passes_on_the_chance_of_a_change_for_observed_splits_before_feedback) {
  for (const std::string order : {"together", "in_turn"}) {
    OwlRun run(kTwo, {0.0, {}}, only({"test"}, {"validate", "test"}, order), true);
    EXPECT_THAT(run.all().calls({"add 1"}),
                ElementsAre("add 1v0, changed ", "add 1e0 1e1, changed 0.5 0.33333334",  // pre
                            "add 1v0, changed ", "add 1e0 1e1, changed "));              // post
    EXPECT_THAT(
        run.calls({"post test: 1"}),
        ElementsAre("post test: 1e0 1e1, changed 0.5 0.33333334", "post test: 1e0 1e1, changed "));
  }
}

TEST(Owl, predicts_a_large_split_in_batches_of_one_phase) {
  OwlRun run({{"ab", "", "a"}, {"a", "", std::string(8192 + 3, 'a')}}, {0.0, {}},
             only({"test"}, {"test"}), true);
  const Calls calls = run.all().calls({"begin 001_pre", "predict 1", "add 1", "end"});
  ASSERT_EQ(calls.size(), 1U + 6U + 5U);
  EXPECT_EQ(calls[0], "end");  // of the start
  EXPECT_THAT(calls[1], StartsWith("begin 001_pre_test"));
  EXPECT_THAT(calls[2], StartsWith("predict 1e0 1e1 "));
  EXPECT_THAT(calls[2], testing::EndsWith(" 1e8191"));
  EXPECT_THAT(calls[3], AllOf(StartsWith("add 1e0 "), HasSubstr(", changed 0.5 0.33333334 0.25 ")));
  EXPECT_EQ(calls[4], "predict 1e8192 1e8193 1e8194");
  // Rows 8192 to 8194 have the chances 1/8194, 1/8195 and 1/8196.
  EXPECT_EQ(calls[5], fmt::format("add 1e8192 1e8193 1e8194, changed {} {} {}", 1.0F / 8194.0F,
                                  1.0F / 8195.0F, 1.0F / 8196.0F));
  EXPECT_EQ(calls[6], "end");
}

TEST(Owl, goes_on_as_before_wherever_it_was_cut) {
  for (const LabelBudget& budget : {LabelBudget{0.5, {}}, LabelBudget{1.0, 7}}) {
    const OwlOptions options = only({"train", "test"}, {"train", "test"}, "in_turn");
    OwlRun whole(kFour, budget, options, true);
    whole.all();
    ASSERT_EQ(whole.steps(), 11U);
    for (std::uint64_t cut = 0; cut <= whole.steps(); ++cut) {
      OwlRun run(kFour, budget, options, true);
      while (run.steps() < cut) {
        ASSERT_TRUE(run.step());
      }
      run.restart();
      run.all();
      EXPECT_EQ(run.log().calls, whole.log().calls) << "cut after step " << cut;
      EXPECT_EQ(run.log().numbers, whole.log().numbers) << "cut after step " << cut;
    }
    OwlRun often(kFour, budget, options, true);
    while (often.step()) {
      often.restart();
    }
    EXPECT_EQ(often.log().calls, whole.log().calls);
    EXPECT_EQ(often.log().numbers, whole.log().numbers);
  }
}

TEST(Owl, gives_every_call_of_a_step_a_random_stream_of_its_own) {
  OwlRun run(kFour, {1.0, {}}, only({"train", "validate", "test"}, {}));
  const std::vector<double>& drawn = run.all().log().numbers;
  EXPECT_EQ(drawn.size(), 1U + 3U + 2U + 3U + 3U * 2U);  // lesson; observed; request and lesson
  EXPECT_EQ(std::set<double>(drawn.begin(), drawn.end()).size(), drawn.size());
}

TEST(Owl, names_an_increment_without_training_samples) {
  const auto refusal = [](const std::vector<OwlDeal>& deals) {
    OwlRun run(deals);
    try {
      run.all();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      EXPECT_THAT(run.calls({"learn 2"}), IsEmpty());
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(refusal({{"", "a", "b"}, {"a", "", "b"}}), "increment 0 has no training samples");
  EXPECT_EQ(refusal({{"ab", "", "b"}, {"a", "", "b"}, {"", "a", "b"}}),
            "increment 2 has no training samples");
}

TEST(OwlSpec, makes_the_protocol_and_refuses_an_order_it_does_not_know) {
  const ProtocolSpec& spec = find_protocol("owl");
  ConfigNode node = ConfigNode::empty_map();
  EXPECT_NE(dynamic_cast<Owl*>(spec.make(node, "protocol").get()), nullptr);
  set_path(node, "observe_order", "in_turn");
  EXPECT_NO_THROW(spec.make(node, "protocol"));
  set_path(node, "observe_order", "at_once");
  EXPECT_THROW(spec.make(node, "protocol"), Error);
  EXPECT_THROW(find_protocol("howl"), Error);
}

}  // namespace
}  // namespace tyto
