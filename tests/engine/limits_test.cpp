// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/limits.hpp"

#include "support/program.hpp"
#include "support/small_worlds.hpp"
#include "support/toy_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/engine/arm/limited_predictor.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_support::run_program;
using testing_support::Scratch;

// Knows as many classes as it had lessons; each takes a second more and eight bytes more.
class SlowPredictor final : public Predictor {
 public:
  double now = 0;

  void learn(const Lesson&, Work&) override {
    ++lessons_;
    now += static_cast<double>(lessons_);
    space_.add_known("class " + std::to_string(lessons_));
  }

  std::vector<float> observe(const Samples&, Work&) override {
    now += 10;
    ++lessons_;
    return {0.5F};
  }

  [[nodiscard]] Prediction predict(const Samples&, Ask) const override { return {}; }

  std::vector<Index> request(const Samples&, Index, Work&) const override { return {}; }

  [[nodiscard]] const LabelSpace& labels() const override { return space_; }

  void save(State& state) const override {
    state.set("lessons", std::int64_t{lessons_});
    state.set("much", std::vector<std::int64_t>(static_cast<std::size_t>(lessons_)));
    space_.save(state.make_child("space"));
  }

  void load(const State& state, const Shelf&) override {
    lessons_ = static_cast<Index>(state.get<std::int64_t>("lessons"));
    space_ = LabelSpace::loaded(state.child("space"));
  }

  [[nodiscard]] Index lessons() const { return lessons_; }

 private:
  Index lessons_ = 0;
  LabelSpace space_;
};

class LimitsTest : public testing::Test {
 protected:
  LimitsTest() : world_(built_.make()) { world_->advance(); }

  std::unique_ptr<LimitedPredictor> limited(const Limits& limits) {
    auto made = std::make_unique<LimitedPredictor>(slow_, limits, [this] { return slow_.now; });
    made->begin(shelf_, *world_, breaches_);
    return made;
  }

  testing_support::SmallWorld built_{"increments", "{kind: increments, increments: 3}", 3};
  std::unique_ptr<World> world_;
  SlowPredictor slow_;
  LimitBreaches breaches_;
  EmptyShelf shelf_;
  Progress progress_;
  Work work_{Rng(1), progress_};
};

TEST_F(LimitsTest, undo_a_lesson_that_took_too_long_but_never_the_first) {
  const auto predictor = limited({.learn_seconds = 1.5});
  predictor->learn({}, work_);  // 1 s
  EXPECT_EQ(slow_.lessons(), 1);
  world_->advance();
  predictor->learn({}, work_);  // 2 s
  EXPECT_EQ(slow_.lessons(), 1);
  EXPECT_EQ(predictor->labels().known_names(), std::vector<std::string>{"class 1"});
  EXPECT_EQ(predictor->observe({}, work_).size(), 1U);  // 10 s
  EXPECT_EQ(slow_.lessons(), 1);
  EXPECT_EQ(breaches_.lines("a"),
            "a,1,learn,learn_seconds,1.5,2,true\na,1,observe,learn_seconds,1.5,10,true\n");

  SlowPredictor slower;
  LimitBreaches other;
  LimitedPredictor first(slower, {.learn_seconds = 0.5}, [&] { return slower.now; });
  first.begin(shelf_, *world_, other);
  first.learn({}, work_);
  EXPECT_EQ(slower.lessons(), 1);
  EXPECT_EQ(other.lines("b"), "b,1,learn,learn_seconds,0.5,1,false\n");
}

TEST_F(LimitsTest, undo_a_lesson_that_makes_the_state_too_large) {
  const auto free = limited({});
  free->learn({}, work_);
  free->learn({}, work_);
  State now;
  slow_.save(now);
  const auto predictor = limited({.memory_bytes = static_cast<double>(state_bytes(now))});
  predictor->learn({}, work_);
  EXPECT_EQ(slow_.lessons(), 2);
  EXPECT_THAT(breaches_.lines("a"), HasSubstr("a,0,learn,memory_bytes,"));
}

TEST_F(LimitsTest, come_back_from_a_commit) {
  breaches_.add({2, "learn", "memory_bytes", 10, 20.5, true});
  breaches_.add({3, "predict", "predict_seconds", 0.25, 1, false});
  State state;
  breaches_.save(state);
  LimitBreaches read;
  read.load(from_archive(to_archive(state), "test"));
  EXPECT_EQ(read.lines("a"), breaches_.lines("a"));
  EXPECT_THAT(read.sentences({.memory_bytes = 10}),
              ElementsAre(HasSubstr("1 times beyond the limit memory_bytes when it was to learn"),
                          HasSubstr("predict_seconds")));
  EXPECT_THAT(LimitBreaches().sentences({.learn_seconds = 1}),
              ElementsAre(HasSubstr("not reproducible")));
}

TEST(LimitsRun, of_memory_are_listed_and_the_same_in_processes_of_their_own) {
  const Scratch scratch;
  testing_support::write_toy_experiment(scratch);
  const auto run = [&](const std::string& out, std::vector<std::string> more) {
    std::vector<std::string> all{"run",    "e.yaml",   "--quiet", "--no-report",
                                 "--data", "datasets", "--out",   out};
    all.insert(all.end(), more.begin(), more.end());
    return run_program(all, {scratch.path(), {}, RLIM_INFINITY, ""});
  };
  const auto free = run("free", {});
  ASSERT_EQ(free.code, 0) << free.err;
  EXPECT_FALSE(std::filesystem::exists(scratch / "free/limits.csv"));
  EXPECT_THAT(free.out, Not(HasSubstr("beyond the limit")));
  const auto held = run("held", {"--set", "limits.memory_bytes=100"});
  ASSERT_EQ(held.code, 0) << held.err;
  EXPECT_THAT(held.out, HasSubstr("times beyond the limit memory_bytes when it was to learn"));
  const std::string lines = testing_support::slurp(scratch / "held/limits.csv");
  const CsvTable csv = CsvTable::parse(lines, "limits.csv");
  // Two arms: the start, and at two increments observing and a lesson each.
  ASSERT_EQ(csv.rows(), 2 * 5);
  EXPECT_EQ(csv.text(0, csv.column("undone")), "false");
  EXPECT_EQ(csv.text(1, csv.column("undone")), "true");
  ASSERT_EQ(run("jobs", {"--set", "limits.memory_bytes=100", "--jobs", "2"}).code, 0);
  EXPECT_EQ(testing_support::slurp(scratch / "jobs/limits.csv"), lines);
  EXPECT_EQ(testing_support::slurp(scratch / "jobs/measures.csv"),
            testing_support::slurp(scratch / "held/measures.csv"));
}

}  // namespace
}  // namespace tyto
