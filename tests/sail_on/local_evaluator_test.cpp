// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/local_evaluator.hpp"

#include <functional>
#include <limits>

#include "support/small_test.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/sail_on/refused.hpp"

namespace tyto::sail_on {

namespace {

using testing::ElementsAre;

const std::string kTest = "OND.1.1.1";

SessionRequest small_session(std::vector<std::string> hints = {}) {
  SessionRequest out;
  out.domain = "image_classification";
  out.detector = "Owl-1";
  out.hints = std::move(hints);
  out.test_ids = {kTest};
  return out;
}

std::string reason_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Refused& refused) {
    return refused.reason();
  }
  return "";
}

// Detection with one number for all, classification with class 0 for all.
void post_round(LocalEvaluator& at, const std::string& session, Index round,
                const std::string& changed) {
  ResultFile detection{"detection", ""}, classification{"classification", ""};
  const auto ids = at.round(session, kTest, round).value();
  for (const auto& id : ids) {
    detection.rows += id + "," + changed + "\n";
    classification.rows += id + ",1,0,0,0\n";
  }
  at.post(session, kTest, round, std::vector{detection, classification});
}

TEST(LocalEvaluator, deals_rounds_until_the_test_is_over) {
  LocalEvaluator at({small_test()});
  const auto session = at.begin_session(small_session());
  EXPECT_EQ(session, "s1");
  EXPECT_THAT(*at.round(session, kTest, 0), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(*at.round(session, kTest, 2), ElementsAre("i", "j"));
  EXPECT_FALSE(at.round(session, kTest, 3));
  EXPECT_FALSE(at.round(session, kTest, std::numeric_limits<Index>::max()));
}

TEST(LocalEvaluator, tells_the_red_light_to_who_has_the_hint_and_overrides_for_that_session_alone) {
  LocalEvaluator at({small_test()});
  const auto told = at.begin_session(small_session({"red_light", "feedback_max_ids=32"}));
  const auto plain = at.begin_session(small_session());
  EXPECT_EQ(at.brief(told, kTest).red_light, "f");
  EXPECT_EQ(at.brief(told, kTest).feedback_max_ids, 32);
  EXPECT_EQ(at.brief(plain, kTest).red_light, "");
  EXPECT_EQ(at.brief(plain, kTest).feedback_max_ids, 3);
}

TEST(LocalEvaluator, gives_feedback_once_novelty_is_declared_and_within_the_budget_of_a_round) {
  LocalEvaluator at({small_test()});
  const auto s = at.begin_session(small_session());
  post_round(at, s, 0, "0.5");
  EXPECT_EQ(at.feedback(s, kTest, 0, "score", {}), "");
  EXPECT_EQ(at.feedback(s, kTest, 0, "classification", {}), "a,2\nb,0\nc,1\n");
  EXPECT_EQ(reason_of([&] { at.feedback(s, kTest, 0, "classification", {}); }),
            "FeedbackBudgetExceeded");
  post_round(at, s, 1, "0.51");
  EXPECT_EQ(at.feedback(s, kTest, 1, "score", {}), "accuracy,0.375\n");
  EXPECT_EQ(at.feedback(s, kTest, 1, "detection", {}), "e,0\nf,1\n");
  EXPECT_EQ(at.feedback(s, kTest, 1, "classification", std::vector<std::string>{"g", "f"}),
            "f,-7\ng,3\n");
}

TEST(LocalEvaluator, answers_the_same_question_again_without_a_charge) {
  LocalEvaluator at({small_test()});
  const auto s = at.begin_session(small_session());
  post_round(at, s, 0, "0.9");
  const std::vector<std::string> two{"a", "b"}, one{"c"};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(at.feedback(s, kTest, 0, "classification", two), "a,2\nb,0\n");
  }
  EXPECT_EQ(at.feedback(s, kTest, 0, "classification", one), "c,1\n");
}

TEST(LocalEvaluator, never_tells_about_samples_that_were_not_answered) {
  LocalEvaluator sound({small_test()}), released({small_test()}, Form::released);
  for (auto* at : {&sound, &released}) {
    const auto s = at->begin_session(small_session());
    post_round(*at, s, 0, "0.9");
    const auto told =
        at->feedback(s, kTest, 0, "classification", std::vector<std::string>{"a", "j"});
    EXPECT_EQ(told, at == &sound ? "a,2\n" : "a,2\nj,0\n");
  }
}

TEST(LocalEvaluator, takes_a_short_round_for_what_it_is) {
  LocalEvaluator sound({small_test()}), released({small_test()}, Form::released);
  for (auto* at : {&sound, &released}) {
    const auto s = at->begin_session(small_session());
    for (Index round = 0; round < 3; ++round) {
      post_round(*at, s, round, "0.9");
    }
    EXPECT_EQ(at->feedback(s, kTest, 2, "classification", {}),
              at == &sound ? "i,-7\nj,0\n" : "g,3\nh,1\ni,-7\n");
  }
}

TEST(LocalEvaluator, without_a_budget_gives_nothing) {
  const auto test = small_test(R"({"round_size": 4, "known_classes": 3})");
  LocalEvaluator sound({test}), released({test}, Form::released);
  for (auto* at : {&sound, &released}) {
    const auto s = at->begin_session(small_session());
    post_round(*at, s, 0, "0.9");
    EXPECT_EQ(reason_of([&] { at->feedback(s, kTest, 0, "classification", {}); }),
              at == &sound ? "FeedbackBudgetExceeded" : "");
  }
}

TEST(LocalEvaluator, stores_equal_rows_once_and_refuses_other_detection) {
  LocalEvaluator at({small_test()});
  const auto s = at.begin_session(small_session());
  const std::vector<ResultFile> rows{{"detection", "a,0.1\nb,0.2"}};
  at.post(s, kTest, 0, rows);
  at.post(s, kTest, 0, rows);
  EXPECT_EQ(at.posted(s, kTest).at("detection"), "a,0.1\nb,0.2\n");
  EXPECT_EQ(reason_of([&] {
              at.post(s, kTest, 0, std::vector<ResultFile>{{"detection", "a,0.3\n"}});
            }),
            "DetectionRepost");
  at.post(s, kTest, 1, rows);  // another round may hold the same rows
  EXPECT_EQ(at.posted(s, kTest).at("detection"), "a,0.1\nb,0.2\na,0.1\nb,0.2\n");
}

TEST(LocalEvaluator, round_zero_again_restarts_the_test) {
  LocalEvaluator at({small_test()});
  const auto s = at.begin_session(small_session());
  post_round(at, s, 0, "0.9");
  at.round(s, kTest, 0);
  EXPECT_TRUE(at.posted(s, kTest).empty());
}

TEST(LocalEvaluator, refuses_what_is_over) {
  LocalEvaluator at({small_test()});
  const auto s = at.begin_session(small_session());
  at.complete(s, kTest);
  EXPECT_THAT(at.completed(s), ElementsAre(kTest));
  EXPECT_EQ(reason_of([&] { at.complete(s, kTest); }), "TestCompleted");
  EXPECT_EQ(reason_of([&] { at.round(s, kTest, 0); }), "TestCompleted");
  at.end_session(s);
  EXPECT_EQ(reason_of([&] { at.brief(s, kTest); }), "SessionEnded");
  EXPECT_EQ(reason_of([&] { at.brief("s9", kTest); }), "session_id_invalid");
  EXPECT_EQ(reason_of([&] { at.begin_session({}); }), "EmptyFile");
}

TEST(LocalEvaluator, goes_on_from_a_saved_state) {
  LocalEvaluator first({small_test()});
  const auto s = first.begin_session(small_session({"red_light"}));
  post_round(first, s, 0, "0.9");
  const std::vector<std::string> two{"a", "b"};
  first.feedback(s, kTest, 0, "classification", two);
  State state, again;
  first.save(state);
  LocalEvaluator second({small_test()});
  second.load(state, EmptyShelf());
  second.save(again);
  EXPECT_EQ(state.children.at(s).values, again.children.at(s).values);
  EXPECT_EQ(second.posted(s, kTest), first.posted(s, kTest));
  EXPECT_EQ(second.feedback(s, kTest, 0, "classification", two), "a,2\nb,0\n");
  EXPECT_EQ(second.feedback(s, kTest, 0, "classification", {}), "a,2\n");  // one line was left
  EXPECT_EQ(second.begin_session(small_session()), "s2");
}

}  // namespace

}  // namespace tyto::sail_on
