// SPDX-License-Identifier: Apache-2.0
// A run of a protocol, owl unless said, over a world of letters, with every call to world,
// predictor and recorder written down.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/archive.hpp"
#include "tyto/protocol/owl.hpp"
#include "tyto/world/increments/increment_world.hpp"

namespace tyto {

using Calls = std::vector<std::string>;

struct OwlDeal {  // of one increment; each letter is a sample of the class of that name
  std::string train, validate, test;
};

// Sample 2 of increment 1 is called 1t2 in train, 1v2 in validate and 1e2 in test.
// `changes` as world.label_changes, in YAML.
inline std::shared_ptr<const IncrementPlan> plan_of_letters(const std::vector<OwlDeal>& deals,
                                                            const std::string& changes = "[]") {
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
  auto plan = make_plan(join_series({std::move(dataset)}), std::move(schedule), Rng(4));
  add_label_changes(*plan, parse_yaml(changes, "test"), "world.label_changes");
  return plan;
}

// Every call to world, predictor and recorder, in order, samples by name; and every number drawn
// or predicted, to tell whether a resumed run is the same run.
struct OwlLog {
  const Truth& truth;
  Calls calls = {};
  std::vector<double> numbers = {};
  // What the predictor takes some samples for, by name: a class it knows or "discovered_0".
  std::map<std::string, std::string> decides = {};

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
    world_.post(answer);
    log_.calls.push_back(fmt::format("post {}: {}, changed {}", answer.split.name,
                                     log_.say(answer.split.samples),
                                     fmt::join(answer.changed, " ")));
    EXPECT_EQ(static_cast<Index>(answer.prediction.label.size()), answer.split.samples.size());
  }

  Feedback ask(FeedbackKind kind, const Split& split, Rows order) override {
    Feedback feedback = world_.ask(kind, split, order);
    if (kind == FeedbackKind::score) {
      log_.calls.push_back(
          fmt::format("scores of {}: {}", split.name, fmt::join(feedback.name, " ")));
      return feedback;
    }
    log_.calls.push_back(
        fmt::format("ask {}: {}", split.name, log_.say(split.samples.pick(order))));
    return feedback;
  }

  [[nodiscard]] Index budget(const Split& split) const override { return world_.budget(split); }

  [[nodiscard]] LookedUp look_up(const Split& split, Rows rows) const override {
    return world_.look_up(split, rows);
  }

  [[nodiscard]] double purse(const Split& split) const override { return world_.purse(split); }

  void charge(const Split& split, double cost) override {
    world_.charge(split, cost);
    log_.calls.push_back(fmt::format("charge {:g}", cost));
  }

  [[nodiscard]] Calls shown_before() const override { return world_.shown_before(); }

  [[nodiscard]] std::vector<LabelChange> label_changes() const override {
    return world_.label_changes();
  }

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
    LabelSpace space = space_;
    prediction.label.assign(n, static_cast<Label>(observed_ % space_.size()));
    for (Index i = 0; i < samples.size(); ++i) {
      const auto scripted = log_.decides.find(log_.say(samples.slice(i, 1)));
      if (scripted == log_.decides.end()) {
        continue;
      }
      while (scripted->second.starts_with("discovered_") && !space.find(scripted->second)) {
        space.add_discovered();
      }
      prediction.label[static_cast<std::size_t>(i)] =
          space.find(scripted->second).value_or(Label::unknown);
    }
    prediction.probability =
        Matrix::Constant(samples.size(), space.size(), 1.0F / static_cast<float>(space.size()));
    prediction.space = std::make_shared<const LabelSpace>(std::move(space));
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

  void change_labels(const std::vector<LabelChange>& changes) override {
    for (const LabelChange& change : changes) {
      log_.calls.push_back(fmt::format("change {} to {}", fmt::join(change.from, " "), change.to));
    }
  }

  void hear(const std::map<std::string, double>& measures) override {
    std::string text = "hear";
    for (const auto& [name, value] : measures) {
      text += fmt::format(" {}={:g}", name, value);
    }
    log_.calls.push_back(text);
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
    if (facts.feedback) {
      log.calls.back() += fmt::format(", spent {:g} on {}, {} wrong", facts.feedback->spent,
                                      facts.feedback->asked, facts.feedback->wrong);
    }
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
      : OwlRun(
            deals, [options] { return std::make_unique<Owl>(options); }, budget, alarm) {}

  using MakeProtocol = std::function<std::unique_ptr<Protocol>()>;

  OwlRun(const std::vector<OwlDeal>& deals, MakeProtocol make_protocol,
         const LabelBudget& budget = {}, bool alarm = false, const std::string& changes = "[]")
      : plan_(plan_of_letters(deals, changes)),
        budget_(budget),
        make_protocol_(std::move(make_protocol)),
        alarm_(alarm),
        log_{plan_->truth} {
    make();
  }

  // The predictor takes a sample of that name for this.
  OwlRun& deciding(const std::string& sample, const std::string& entry) {
    log_.decides[sample] = entry;
    return *this;
  }

  bool step() {
    Work work{Rng(9, "step", steps_), progress_};  // as a run does: a stream per commit
    Exchange exchange{*world_, *predictor_, recorder_, shelf_, Rng(9)};
    const bool done = protocol_->step(exchange, work);
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
    protocol_->save(state.make_child("protocol"));
    const State read = from_archive(to_archive(state), "test");
    make();
    const StoreShelf shelf({plan_->series.joined.store});
    world_->load(read.child("world"), shelf);
    predictor_->load(read.child("predictor"), shelf);
    protocol_->load(read.child("protocol"), shelf);
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
    protocol_ = make_protocol_();
  }

  std::shared_ptr<const IncrementPlan> plan_;
  LabelBudget budget_;
  MakeProtocol make_protocol_;
  bool alarm_;
  OwlLog log_;
  std::unique_ptr<SpyWorld> world_;
  std::unique_ptr<ScriptedPredictor> predictor_;
  std::unique_ptr<Protocol> protocol_;
  SpyRecorder recorder_{log_};
  Progress progress_;
  EmptyShelf shelf_;
  std::uint64_t steps_ = 0;
};

inline OwlOptions only(Calls observe, Calls evaluate, std::string order = "together") {
  OwlOptions options;
  options.observe = std::move(observe);
  options.evaluate = std::move(evaluate);
  options.observe_order = std::move(order);
  return options;
}

inline const std::vector<OwlDeal> kTwo{{"aab", "ab", "a"}, {"bccd", "c", "de"}};
inline const std::vector<OwlDeal> kFour{
    {"aabb", "b", "ab"}, {"abcc", "c", "ad"}, {"abcd", "", "eb"}, {"eeabcda", "e", "f"}};

// A run that is cut after any of its steps, and comes back from its saved bytes, makes the calls
// and draws the numbers of one that was left alone.
inline void expect_the_same_wherever_cut(const LabelBudget& budget, const OwlOptions& options,
                                         std::uint64_t steps) {
  OwlRun whole(kFour, budget, options, true);
  whole.all();
  ASSERT_EQ(whole.steps(), steps);
  for (std::uint64_t cut = 0; cut <= steps; ++cut) {
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

}  // namespace tyto
