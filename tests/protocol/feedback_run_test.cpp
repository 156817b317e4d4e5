// SPDX-License-Identifier: Apache-2.0
// Every kind of feedback over a small world with real predictors: what is taught, what it costs,
// and that a run that was cut goes on as if it had not been.
#include <set>

#include "support/scratch.hpp"
#include "support/small_worlds.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/predictor/composition/composition.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/record/phase_recorder.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {
namespace {

using testing_support::SmallWorld;

constexpr const char* kFeedbackWorld =
    "{kind: increments, increments: 3, start: {classes: 3, share: 0.5}, split: {test: 0.2, "
    "validate: 0}}";
constexpr const char* kAskingPredictor =
    "{name: asks, classifier: ncm, detector: mahalanobis, recogniser: finch, memory: unlimited}";

struct TaughtLabels {  // after the start
  Index labels = 0, wrong = 0;
  std::set<std::string> names;
};

class ListeningPredictor final : public Predictor {
 public:
  ListeningPredictor(const Truth& truth, TaughtLabels& taught)
      : predictor_(read_predictor(parse_yaml(kAskingPredictor, "test"), "predictor"), 5),
        truth_(truth),
        taught_(taught) {}

  void learn(const Lesson& lesson, Work& work) override {
    for (Index i = 0; i < lesson.samples.size() && predictor_.is_fitted(); ++i) {
      const std::string& name = lesson.names[static_cast<std::size_t>(i)];
      ++taught_.labels;
      taught_.wrong += name == truth_.label_of(lesson.samples.id(i)) ? 0 : 1;
      taught_.names.insert(name);
    }
    predictor_.learn(lesson, work);
  }

  std::vector<float> observe(const Samples& unlabelled, Work& work) override {
    return predictor_.observe(unlabelled, work);
  }

  [[nodiscard]] Prediction predict(const Samples& samples, Ask ask) const override {
    return predictor_.predict(samples, ask);
  }

  std::vector<Index> request(const Samples& samples, Index budget, Work& work) const override {
    return predictor_.request(samples, budget, work);
  }

  void change_labels(const std::vector<LabelChange>& changes) override {
    predictor_.change_labels(changes);
  }

  [[nodiscard]] const LabelSpace& labels() const override { return predictor_.labels(); }

  void save(State& state) const override { predictor_.save(state); }

  void load(const State& state, const Shelf& shelf) override { predictor_.load(state, shelf); }

 private:
  Composition predictor_;
  const Truth& truth_;
  TaughtLabels& taught_;
};

// One life of a run, from the start or from the bytes of a commit.
class FeedbackLife {
 public:
  FeedbackLife(const SmallWorld& built, const std::string& protocol)
      : built_(built),
        world_(built.make({0.5, {}})),
        predictor_(*built.truth(), taught),
        protocol_(find_protocol("owl").make(parse_yaml(protocol, "test"), "protocol")),
        recorder_(RecordOptions(), built.truth(), [this](const Phase& phase) {
          last = phase;
          record += to_archive(phase_to_state(phase));
        }) {}

  bool step() {
    Work work{Rng(9, "step", steps_), progress_};
    Exchange exchange{*world_, predictor_, recorder_, shelf_, Rng(9)};
    const bool done = protocol_->step(exchange, work);
    steps_ += done ? 1 : 0;
    return done;
  }

  void all() {
    while (step()) {
    }
  }

  [[nodiscard]] std::string commit() const {
    State state;
    state.set("steps", static_cast<std::int64_t>(steps_));
    world_->save(state.make_child("world"));
    predictor_.save(state.make_child("predictor"));
    protocol_->save(state.make_child("protocol"));
    return to_archive(state);
  }

  void resume(const std::string& bytes) {
    const State state = from_archive(bytes, "commit");
    steps_ = static_cast<std::uint64_t>(state.get<std::int64_t>("steps"));
    world_->load(state.child("world"), shelf_);
    predictor_.load(state.child("predictor"), shelf_);
    protocol_->load(state.child("protocol"), shelf_);
  }

  TaughtLabels taught;
  std::string record;  // bytes of all phases
  Phase last;

 private:
  const SmallWorld& built_;
  std::unique_ptr<World> world_;
  ListeningPredictor predictor_;
  std::unique_ptr<Protocol> protocol_;
  PhaseRecorder recorder_;
  Progress progress_;
  StoreShelf shelf_ = built_.shelf();
  std::uint64_t steps_ = 0;
};

class FeedbackFiles : public testing::Test {
 protected:
  FeedbackFiles() : built_("increments", kFeedbackWorld, 3) {
    std::string vocabulary = "class,name\n";
    std::string meanings = "name,class\n";
    std::string answers = "id,label\n";
    for (int c = 0; c < 6; ++c) {
      vocabulary += fmt::format("class {0},wort {0}\nclass {0},synonym {0}\n", c);
      meanings += fmt::format("wort {0},class {0}\nsynonym {0},class {0}\n", c);
    }
    for (int i = 0; i < 6 * 24; i += 2) {  // every fifth answer is wrong
      answers += fmt::format("sample {},class {}\n", i, i % 5 == 0 ? 0 : i / 24);
    }
    write_file(scratch_ / "vocabulary.csv", vocabulary);
    write_file(scratch_ / "meanings.csv", meanings);
    write_file(scratch_ / "answers.csv", answers);
  }

  // The options with the files of this test in place of $.
  [[nodiscard]] std::string options(std::string text) const {
    for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$')) {
      text.replace(at, 1, scratch_.path().string() + "/");
    }
    return text;
  }

  testing_support::Scratch scratch_;
  SmallWorld built_;
};

class FeedbackRun : public FeedbackFiles, public testing::WithParamInterface<const char*> {};

TEST_P(FeedbackRun, records_the_same_bytes_wherever_it_is_cut) {
  for (const char* more : {"", "delay: 1, batch: 7, "}) {
    const std::string yaml = options(fmt::format("{{{}{}}}", more, GetParam()));
    FeedbackLife whole(built_, yaml);
    std::vector<std::string> commits{whole.commit()};
    std::vector<std::size_t> recorded{0};
    while (whole.step()) {
      commits.push_back(whole.commit());
      recorded.push_back(whole.record.size());
    }
    for (std::size_t cut = 0; cut < commits.size(); cut += more[0] == '\0' ? 1 : 3) {
      FeedbackLife rest(built_, yaml);
      rest.resume(commits[cut]);
      EXPECT_EQ(rest.commit(), commits[cut]) << yaml << " at " << cut;
      rest.all();
      EXPECT_EQ(rest.record, whole.record.substr(recorded[cut])) << yaml << " cut at " << cut;
    }
  }
}

TEST_P(FeedbackRun, teaches_something_and_counts_what_is_wrong) {
  FeedbackLife run(built_, options(fmt::format("{{{}}}", GetParam())));
  Index wrong = 0;
  Index labels = 0;
  Index counted = -1;
  while (run.step()) {
    if (run.last.key.phase == "post" && run.last.key.step != counted) {
      counted = run.last.key.step;
      if (counted > 0) {
        ASSERT_TRUE(run.last.feedback.has_value());
        wrong += run.last.feedback->wrong;
        labels += run.last.labels_granted;
        EXPECT_GE(run.last.feedback->asked, 0);
      }
    }
  }
  EXPECT_EQ(labels, run.taught.labels);
  EXPECT_EQ(wrong, run.taught.wrong);
  EXPECT_GT(labels, 0);
}

INSTANTIATE_TEST_SUITE_P(
    EveryKind, FeedbackRun,
    testing::Values("oracle: labels, costs: {label: 1.5}", "oracle: corrections, noise: 0.5",
                    "oracle: predictor, teacher: {preset: ncm, share: 0.4}",
                    "oracle: predictor, teacher: {table: $answers.csv}",
                    "oracle: groups, groups: {weight: 0.5}",
                    "oracle: groups, groups: {answer: unanimous, learn: asked}",
                    "oracle: foreign, foreign: {vocabulary: $vocabulary.csv, unmapped: keep}",
                    "oracle: foreign, noise: 0.3, foreign: {vocabulary: $vocabulary.csv, say: all, "
                    "paired: 0.5}",
                    "oracle: foreign, foreign: {vocabulary: $vocabulary.csv, interpret: table, "
                    "table: $meanings.csv}"));

TEST_F(FeedbackFiles, refuse_to_go_on_with_another_table) {
  const std::string yaml = options("{oracle: predictor, teacher: {table: $answers.csv}}");
  FeedbackLife first(built_, yaml);
  ASSERT_TRUE(first.step());
  const std::string bytes = first.commit();
  write_file(scratch_ / "answers.csv", "id,label\nsample 0,class 1\n");
  FeedbackLife second(built_, yaml);
  try {
    second.resume(bytes);
    FAIL();
  } catch (const Error& problem) {
    EXPECT_THAT(problem.what(), testing::HasSubstr("holds other answers than when this run"));
  }
}

TEST_F(FeedbackFiles, let_no_teacher_start_where_there_was_none) {
  FeedbackLife first(built_, "{}");
  ASSERT_TRUE(first.step());
  FeedbackLife second(built_, "{oracle: predictor, teacher: {preset: ncm}}");
  try {
    second.resume(first.commit());
    FAIL();
  } catch (const Error& problem) {
    EXPECT_THAT(problem.what(), testing::HasSubstr("had no teacher"));
  }
}

TEST_F(FeedbackFiles, let_a_teacher_with_all_labels_be_nearly_right) {
  FeedbackLife run(built_, "{oracle: predictor, teacher: {preset: ncm, share: 1}}");
  run.all();
  EXPECT_GT(run.taught.labels, 20);
  EXPECT_LT(run.taught.wrong, run.taught.labels / 20);
}

TEST_F(FeedbackFiles, let_predictor_and_teacher_hear_of_new_names) {
  std::string changes;
  for (int c = 0; c < 6; ++c) {
    changes += fmt::format("{}class {}: new {}", c == 0 ? "" : ", ", c, c);
  }
  std::string world = kFeedbackWorld;
  world.insert(world.size() - 1,
               fmt::format(", label_changes: [{{increment: 2, rename: {{{}}}}}]", changes));
  const SmallWorld renamed("increments", world, 3);
  const std::string yaml = "{oracle: predictor, teacher: {preset: ncm, share: 1}}";
  FeedbackLife run(renamed, yaml);
  std::vector<std::string> commits{run.commit()};
  std::vector<std::size_t> recorded{0};
  while (run.step()) {
    commits.push_back(run.commit());
    recorded.push_back(run.record.size());
  }
  EXPECT_GT(run.taught.labels, 20);
  EXPECT_LT(run.taught.wrong, run.taught.labels / 10);
  EXPECT_TRUE(run.taught.names.contains("new 0"));
  Index right = 0;  // of the last test
  for (Index i = 0; i < run.last.size(); ++i) {
    right += run.last.decision(i) == renamed.truth()->label_of(run.last.sample[at(i)]) ? 1 : 0;
  }
  EXPECT_GT(right, run.last.size() * 3 / 4);
  for (std::size_t cut = 0; cut < commits.size(); ++cut) {
    FeedbackLife rest(renamed, yaml);
    rest.resume(commits[cut]);
    rest.all();
    EXPECT_EQ(rest.record, run.record.substr(recorded[cut])) << "cut at " << cut;
  }
}

}  // namespace
}  // namespace tyto
