// SPDX-License-Identifier: Apache-2.0
// A world of tests: what is dealt, posted and told, by an evaluation in memory.
#include "tyto/world/rounds/round_world.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/sail_on/local_evaluator.hpp"
#include "tyto/sail_on/refused.hpp"
#include "tyto/world/rounds/feedback_lines.hpp"
#include "tyto/world/rounds/result_rows.hpp"
#include "tyto/world/rounds/round_lists.hpp"
#include "tyto/world/rounds/round_truth.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Ten samples, rounds of four; the change comes with the sixth, which is of a new class.
std::shared_ptr<const sail_on::TestData> small_test() {
  auto test = std::make_shared<sail_on::TestData>();
  test->protocol = "OND";
  test->domain = "activity_recognition";
  test->id = "OND.1.1.7";
  test->metadata =
      R"({"protocol": "OND", "round_size": 4, "known_classes": 2, "feedback_max_ids": 2,
          "max_detection_feedback_ids": 1, "red_light": "v5"})";
  test->columns = {"anonymous_id",      "novel",         "detection",     "ontology_id",
                   "spatial",           "temporal",      "kinetics_id_0", "kinetics_id_1",
                   "kinetics_id_2",     "kinetics_id_3", "kinetics_id_4", "annotation_name_1",
                   "annotation_value_1"};
  const std::vector<std::string> names{"cat", "dog", "cat", "dog", "cat",
                                       "owl", "owl", "cat", "owl", "dog"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool novel = names[i] == "owl";
    test->rows.push_back({fmt::format("v{}", i), novel ? "1" : "0", i >= 5 ? "1" : "0",
                          novel ? "2" : (names[i] == "cat" ? "0" : "1"), "0", "0", names[i], "b",
                          "c", "d", "e", "class", names[i]});
  }
  return test;
}

class RoundWorldTest : public testing::Test {
 protected:
  RoundWorldTest() {
    Dataset data;
    data.name = "animals";
    RoundLists lists;
    lists.classes = {"cat", "dog"};
    for (Index row = 0; row < 14; ++row) {
      const bool trains = row < 4;
      data.table.id.push_back(trains ? fmt::format("t{}", row) : fmt::format("v{}", row - 4));
      data.table.label.push_back(row % 2 == 0 ? "cat" : "dog");
      if (trains) {
        lists.train.push_back(row);
        lists.train_label.push_back(data.table.label.back());
      } else {
        lists.name.push_back(data.table.id.back());
        lists.row.push_back(row);
      }
    }
    data.store = std::make_shared<const DenseStore>(Matrix(Matrix::Random(14, 2)));
    plan_->samples =
        std::make_shared<const RoundSamples>(std::move(data), std::move(lists), Rng(1));
    plan_->session.test_ids = {"OND.1.1.7"};
    plan_->session.detector = "test";
    plan_->settings = {"system"};
  }

  std::unique_ptr<RoundWorld> make() const {
    return std::make_unique<RoundWorld>(
        plan_, std::make_unique<sail_on::LocalEvaluator>(sail_on::LocalEvaluator::Tests{test_}));
  }

  // Everything is believed to be a cat, and the world to have changed as told.
  static void answer(RoundWorld& world, float changed) {
    const Split& split = world.deal().splits.front();
    LabelSpace space;
    space.add_known("cat");
    space.add_known("dog");
    Prediction prediction;
    prediction.space = std::make_shared<const LabelSpace>(space);
    prediction.probability = Matrix::Zero(split.samples.size(), 3);
    prediction.probability.col(1).setConstant(0.75F);
    prediction.probability.col(0).setConstant(0.25F);
    prediction.label.assign(at(split.samples.size()), static_cast<Label>(1));
    const std::vector<float> p(at(split.samples.size()), changed);
    world.post({split, prediction, p});
  }

  std::shared_ptr<RoundPlan> plan_ = std::make_shared<RoundPlan>();
  std::shared_ptr<const sail_on::TestData> test_ = small_test();
};

TEST_F(RoundWorldTest, deals_the_start_then_the_rounds_of_every_test_in_every_setting) {
  plan_->settings = {"system", "given"};
  const auto world = make();
  ASSERT_TRUE(world->advance());
  EXPECT_FALSE(world->deal().round);
  EXPECT_EQ(world->deal().find("train")->samples.size(), 4);
  std::vector<std::string> rounds;
  while (world->advance()) {
    const Round& round = *world->deal().round;
    const std::string moment =
        round.changed_from ? fmt::format(" from {}", *round.changed_from) : "";
    rounds.push_back(fmt::format("{} {} {}: {}{}", round.test_number, round.setting, round.number,
                                 world->deal().find("round")->samples.size(), moment));
    answer(*world, 0.0F);
  }
  EXPECT_THAT(rounds,
              ElementsAre("1 system 0: 4", "1 system 1: 4", "1 system 2: 2", "1 given 0: 4 from 4",
                          "1 given 1: 4 from 1", "1 given 2: 2 from 0"));
  EXPECT_FALSE(world->advance());
}

TEST_F(RoundWorldTest, tells_nothing_until_novelty_is_declared) {
  const auto world = make();
  world->advance();
  world->advance();
  const Split& first = world->deal().splits.front();
  const std::vector<Index> rows{3, 0, 1};
  EXPECT_EQ(world->budget(first), 0);
  answer(*world, 0.5F);  // not above the threshold
  EXPECT_EQ(world->budget(first), 0);
  EXPECT_THAT(world->ask(FeedbackKind::labels, first, rows).row, IsEmpty());
  world->advance();
  const Split& second = world->deal().splits.front();
  EXPECT_EQ(world->budget(second), 0) << "not before the answer";
  answer(*world, 0.75F);
  EXPECT_EQ(world->budget(second), 2);
  const Feedback told = world->ask(FeedbackKind::labels, second, rows);
  ASSERT_EQ(told.row.size(), 2U) << "as far as the budget goes";
  std::map<Index, std::string> names;
  for (std::size_t i = 0; i < 2; ++i) {
    names[told.row[i]] = told.name[i];
  }
  EXPECT_EQ(names, (std::map<Index, std::string>{{3, "cat"}, {0, "cat"}}));
  EXPECT_EQ(world->budget(second), 0);
  const Feedback novel = world->ask(FeedbackKind::detection, second, std::vector<Index>{1, 0});
  EXPECT_THAT(novel.row, ElementsAre(1)) << "a budget of its own";
  EXPECT_THAT(novel.value, ElementsAre(1.0));
  const Feedback score = world->ask(FeedbackKind::score, second, {});
  EXPECT_THAT(score.name, ElementsAre("accuracy"));
  EXPECT_DOUBLE_EQ(score.value.at(0), 4.0 / 8.0) << "cats among eight";
}

TEST_F(RoundWorldTest, opens_feedback_at_the_red_light_whether_it_acts_on_it_or_not) {
  for (const std::string setting : {"given", "ignored"}) {
    plan_->settings = {setting};
    const auto world = make();
    world->advance();
    world->advance();
    answer(*world, 0.0F);
    EXPECT_EQ(world->budget(world->deal().splits.front()), 0) << "before it";
    world->advance();
    EXPECT_EQ(world->deal().round->changed_from.has_value(), setting == "given");
    answer(*world, 0.0F);
    EXPECT_EQ(world->budget(world->deal().splits.front()), 2);
    const std::vector<Index> rows{0, 1, 2, 3};
    EXPECT_EQ(world->ask(FeedbackKind::detection, world->deal().splits.front(), rows).row.size(),
              4U)
        << "who was told of the change is told of every sample";
  }
}

// An evaluation that has told before what it is asked for, to someone who was killed then.
class ToldBefore final : public sail_on::Evaluator {
 public:
  explicit ToldBefore(sail_on::LocalEvaluator::Tests tests) : inner_(std::move(tests)) {}

  std::vector<std::string> test_ids(std::string_view protocol, std::string_view domain) override {
    return inner_.test_ids(protocol, domain);
  }

  std::string begin_session(const sail_on::SessionRequest& request) override {
    return inner_.begin_session(request);
  }

  sail_on::TestBrief brief(const std::string& session, const std::string& test) override {
    return inner_.brief(session, test);
  }

  std::optional<std::vector<std::string>> round(const std::string& session, const std::string& test,
                                                Index number) override {
    return inner_.round(session, test, number);
  }

  void post(const std::string& session, const std::string& test, Index round,
            std::span<const sail_on::ResultFile> files) override {
    inner_.post(session, test, round, files);
  }

  std::string feedback(const std::string& session, const std::string& test, Index round,
                       std::string_view type, std::span<const std::string> ids) override {
    if (!told_) {
      told_ = true;
      throw sail_on::Refused(400, "FeedbackBudgetExceeded", "was told before");
    }
    return inner_.feedback(session, test, round, type, ids);
  }

  void complete(const std::string& session, const std::string& test) override {
    inner_.complete(session, test);
  }

  std::vector<std::string> completed(const std::string& session) override {
    return inner_.completed(session);
  }

  void end_session(const std::string& session) override { inner_.end_session(session); }

  void save(State& state) const override { inner_.save(state); }

  void load(const State& state, const Shelf& shelf) override { inner_.load(state, shelf); }

 private:
  sail_on::LocalEvaluator inner_;
  bool told_ = false;
};

TEST_F(RoundWorldTest, begins_a_test_again_where_feedback_was_lost_with_an_earlier_life) {
  RoundWorld world(plan_, std::make_unique<ToldBefore>(sail_on::LocalEvaluator::Tests{test_}));
  world.advance();
  world.advance();
  answer(world, 0.0F);
  world.advance();
  answer(world, 1.0F);
  const std::vector<Index> rows{0};
  EXPECT_THAT(world.ask(FeedbackKind::labels, world.deal().splits.front(), rows).row, IsEmpty());
  ASSERT_TRUE(world.advance());
  EXPECT_EQ(world.deal().round->number, 0) << "from its beginning";
  answer(world, 1.0F);
  EXPECT_EQ(world.ask(FeedbackKind::labels, world.deal().splits.front(), rows).row.size(), 1U);
  ASSERT_TRUE(world.advance());
  EXPECT_EQ(world.deal().round->number, 1);
}

TEST_F(RoundWorldTest, posts_a_round_when_all_of_it_is_answered) {
  const auto world = make();
  world->advance();
  world->advance();
  const Split& split = world->deal().splits.front();
  LabelSpace space;
  space.add_known("cat");
  Prediction prediction;
  prediction.space = std::make_shared<const LabelSpace>(space);
  prediction.probability = Matrix::Constant(2, 2, 0.5F);
  prediction.label.assign(2, Label::unknown);
  const std::vector<float> changed{1.0F, 1.0F};
  const Split begin{split.name, split.samples.slice(0, 2)};
  const Split end{split.name, split.samples.slice(2, 2)};
  world->post({begin, prediction, changed});
  EXPECT_EQ(world->budget(split), 0) << "half of it";
  world->post({end, prediction, changed});
  EXPECT_EQ(world->budget(split), 2);
}

TEST_F(RoundWorldTest, has_a_truth_with_what_is_new_and_what_has_changed) {
  const Truth truth = truth_of(*plan_->samples, {test_}, 1);
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(plan_->samples->id(1, name));
  };
  EXPECT_EQ(truth.label[place("v5")], "owl");
  EXPECT_EQ(truth.label[place("v7")], "cat");
  EXPECT_EQ(truth.annotations.at("novel")[place("v5")], "1");
  EXPECT_EQ(truth.annotations.at("novel")[place("v7")], "0");
  EXPECT_EQ(truth.annotations.at("changed")[place("v4")], "0");
  EXPECT_EQ(truth.annotations.at("changed")[place("v7")], "1");
  EXPECT_EQ(truth.annotations.at("test")[place("v7")], "OND.1.1.7");
}

TEST_F(RoundWorldTest, takes_a_name_that_looks_like_a_number_for_a_name) {
  auto digits = std::make_shared<sail_on::TestData>(*test_);
  for (std::vector<std::string>& row : digits->rows) {
    row.back() = row.back() == "owl" ? "1" : row.back();  // a new class; number 1 is the dog
  }
  const Truth truth = truth_of(*plan_->samples, {digits}, 1);
  EXPECT_EQ(truth.label[static_cast<std::size_t>(plan_->samples->id(1, "v5"))], "1");
  for (std::vector<std::string>& row : digits->rows) {
    row.resize(6);  // numbers alone
  }
  digits->columns.resize(6);
  const Truth numbered = truth_of(*plan_->samples, {digits}, 1);
  EXPECT_EQ(numbered.label[static_cast<std::size_t>(plan_->samples->id(1, "v1"))], "dog");
  EXPECT_EQ(numbered.label[static_cast<std::size_t>(plan_->samples->id(1, "v5"))], "2");
}

TEST_F(RoundWorldTest, gives_a_sample_of_two_tests_two_truths) {
  auto second = std::make_shared<sail_on::TestData>(*test_);
  second->id = "OND.1.2.7";
  std::swap(second->rows[0], second->rows[9]);  // v9 comes first, v0 after the change
  second->rows[0][2] = "0";
  second->rows[9][2] = "1";
  RoundLists lists = plan_->samples->lists();
  lists.again = shown_again({test_, second}, 1);
  ASSERT_EQ(lists.again.size(), 10U);
  const RoundSamples samples(plan_->samples->data(), lists, Rng(1));
  const Truth truth = truth_of(samples, {test_, second}, 1);
  const auto changed = [&](Index test, const std::string& name) {
    return truth.annotations.at("changed")[static_cast<std::size_t>(samples.id(test, name))];
  };
  EXPECT_EQ(changed(1, "v0"), "0");
  EXPECT_EQ(changed(2, "v0"), "1");
  EXPECT_EQ(changed(2, "v9"), "0");
  EXPECT_EQ(samples.id(1, "v3"), plan_->samples->id(1, "v3")) << "the first is as without it";
}

TEST_F(RoundWorldTest, names_the_samples_without_features) {
  try {
    const std::vector<std::string> names{"v1", "v77", "v78"};
    (void)plan_->samples->pick(1, names);
    FAIL() << "was not refused";
  } catch (const Error& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("\"animals\" has no features for 2 of 3 samples"));
    EXPECT_THAT(problem.what(), HasSubstr("v77"));
  }
}

TEST(ResultRows, have_columns_by_name_in_the_order_of_the_convention) {
  LabelSpace space;
  space.add_known("dog");
  space.add_known("cat");
  const Label gone = space.add_discovered();
  space.add_discovered();
  space.add_known("owl");  // named by feedback: new to the evaluation all the same
  space.retire(gone, static_cast<Label>(4), "merged");
  Prediction prediction;
  prediction.space = std::make_shared<const LabelSpace>(space);
  prediction.probability.resize(1, 6);
  prediction.probability << 0.125F, 0.25F, 0.0625F, 0.0F, 0.3125F, 0.25F;
  const std::vector<std::string> names{"a,b"};
  const std::vector<std::string> classes{"cat", "dog"};
  EXPECT_EQ(classification_rows(names, prediction, classes), "\"a,b\",0.0625,0.25,0.6875\n");
  EXPECT_EQ(characterization_rows(names, prediction, classes),
            "\"a,b\",0.375,0.0625,0.25,0,0.3125\n");
  const std::vector<float> changed{0.5F};
  EXPECT_EQ(detection_rows(names, changed, p_of_none(prediction, classes)), "\"a,b\",0.5,0.6875\n");
}

TEST(FeedbackLines, name_classes_or_number_them) {
  const std::map<std::string, Index> rows{{"x", 3}, {"y", 0}};
  const std::vector<std::string> classes{"7", "3"};  // names that look like numbers
  EXPECT_EQ(labels_told_by("activity_recognition", "classification"), LabelsToldBy::name);
  EXPECT_EQ(labels_told_by("activity_recognition", "labels"), LabelsToldBy::number);
  EXPECT_EQ(labels_told_by("image_classification", "classification"), LabelsToldBy::number);
  const Feedback named =
      read_labels("y,3,7\nz,7,3\nx,new one,3\n", rows, LabelsToldBy::name, classes);
  EXPECT_THAT(named.row, ElementsAre(0, 3));
  EXPECT_THAT(named.name, ElementsAre("3", "new one"));
  const Feedback numbered = read_labels("y,0\nx,2\n", rows, LabelsToldBy::number, classes);
  EXPECT_THAT(numbered.name, ElementsAre("7", "")) << "beyond the known: new, without a name";
  EXPECT_THAT(read_detection("x,1\n", rows).value, ElementsAre(1.0));
  EXPECT_THROW((void)read_labels("y,often\n", rows, LabelsToldBy::number, classes), Error);
}

}  // namespace
}  // namespace tyto
