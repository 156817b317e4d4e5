// SPDX-License-Identifier: Apache-2.0
// What was done already: a refusal is a success where the call may be a repeat, and nowhere else.
#include "support/scripted_server.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/client/remote_evaluator.hpp"
#include "tyto/core/error.hpp"
#include "tyto/sail_on/refused.hpp"

namespace tyto::client {
namespace {

using sail_on::Refused;
using testing_support::answer;
using testing_support::answer_json;
using testing_support::drop;
using testing_support::Reaction;
using testing_support::refuse;
using testing_support::ScriptedServer;

const Reaction kOk = answer(200, "OK");
const Reaction kBegun = answer_json(200, "{\"session_id\":\"s\"}");
const Reaction kRound = answer(200, "a\nb\n");
const Reaction kRepost = refuse(400, "DetectionRepost");
const Reaction kCompleted = refuse(400, "TestCompleted");
const Reaction kEnded = refuse(400, "SessionEnded");

// A process' calls in a session "s", answered in this order.
struct Process {
  explicit Process(std::vector<Reaction> reactions) : server(std::move(reactions)) {
    ServerAddress address;
    address.url = server.url();
    address.tries = 3;
    address.first_pause_s = 0.001;
    evaluator = connect(address, progress);
  }

  void begin() {
    sail_on::SessionRequest request;
    request.test_ids = {"t", "u"};
    EXPECT_EQ(evaluator->begin_session(request), "s");
  }

  void post(Index round, const std::string& test = "t") {
    const std::vector<sail_on::ResultFile> files = {{"detection", "a,0\n"},
                                                    {"classification", "a,1\n"}};
    evaluator->post("s", test, round, files);
  }

  [[nodiscard]] std::size_t requests() const { return server.seen().size(); }

  ScriptedServer server;
  Progress progress;
  std::unique_ptr<sail_on::Evaluator> evaluator;
};

template <class Call>
std::string reason_of(const Call& call) {
  try {
    call();
  } catch (const Refused& no) {
    return no.reason();
  }
  return "";
}

TEST(Repeats, a_repost_in_ones_own_session_is_refused) {
  Process process({kBegun, kRepost, kRepost, kOk, kRepost});
  process.begin();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(reason_of([&] { process.post(0); }), "DetectionRepost");
  }
  process.post(0);
  EXPECT_EQ(reason_of([&] { process.post(0); }), "DetectionRepost");
  EXPECT_EQ(process.requests(), 5u);
}

TEST(Repeats, a_repost_after_a_lost_answer_was_done) {
  Process process({kBegun, drop(), kRepost, answer(502, "<html>"), kRepost, kRepost});
  process.begin();
  process.post(0);
  process.post(1);
  EXPECT_EQ(process.requests(), 5u);
  EXPECT_EQ(process.server.seen()[1].body, process.server.seen()[2].body);
  EXPECT_EQ(reason_of([&] { process.post(2); }), "DetectionRepost");  // which had no such try
}

TEST(Repeats, a_post_on_a_kept_connection_that_died_counts_as_repeated) {
  Process process({kBegun, kOk, drop(), kRepost});
  process.begin();
  process.post(0);
  process.post(1);
  EXPECT_EQ(process.requests(), 4u);
}

TEST(Repeats, the_first_posts_after_a_resume_were_done_until_one_is_taken) {
  Process process({kRound, kRepost, kRound, kOk, kRepost, kRepost});
  process.evaluator->round("s", "t", 3);
  process.post(3);  // the last process did, and was killed before it could note it
  process.evaluator->round("s", "t", 4);
  process.post(4);
  EXPECT_EQ(reason_of([&] { process.post(4); }), "DetectionRepost");
  process.post(7, "u");  // another test, of which nothing is known yet
  EXPECT_EQ(process.requests(), 6u);
}

TEST(Repeats, a_test_that_was_begun_again_holds_no_posts) {
  Process process({kRound, kRepost});
  process.evaluator->round("s", "t", 0);
  EXPECT_EQ(reason_of([&] { process.post(0); }), "DetectionRepost");
}

TEST(Repeats, going_back_to_a_commit_is_a_resume) {
  Process process({kBegun, kOk, kRepost, kEnded});
  process.begin();
  process.post(0);
  const EmptyShelf shelf;
  State state;
  process.evaluator->save(state);
  process.evaluator->load(state, shelf);
  process.post(0);
  process.evaluator->end_session("s");
  EXPECT_EQ(process.requests(), 4u);
}

TEST(Repeats, a_call_that_was_given_up_may_be_made_again) {
  // One more than there are tries: libcurl repeats the first, whose connection was a kept one.
  Process process({kBegun, drop(), drop(), drop(), drop(), kRepost, kRepost});
  process.begin();
  EXPECT_THROW(process.post(0), Error);
  process.post(0);
  EXPECT_EQ(reason_of([&] { process.post(0); }), "DetectionRepost");
  EXPECT_EQ(process.requests(), 7u);
}

TEST(Repeats, of_other_refusals_none_is_a_success) {
  Process process({refuse(400, "MissingParamsError"), drop(), refuse(500, "<class 'KeyError'>"),
                   refuse(400, "MissingParamsError"), kRepost, kCompleted, kCompleted, kEnded});
  EXPECT_EQ(reason_of([&] { process.post(0); }), "MissingParamsError");
  EXPECT_EQ(reason_of([&] { process.post(0); }), "<class 'KeyError'>");
  EXPECT_EQ(reason_of([&] { process.evaluator->complete("s", "t"); }), "MissingParamsError");
  EXPECT_EQ(reason_of([&] { process.evaluator->complete("s", "t"); }), "DetectionRepost");
  EXPECT_EQ(reason_of([&] { process.evaluator->end_session("s"); }), "TestCompleted");
  EXPECT_EQ(reason_of([&] { process.evaluator->round("s", "t", 3); }), "TestCompleted");
  EXPECT_EQ(reason_of([&] { process.evaluator->feedback("s", "t", 3, "score", {}); }),
            "SessionEnded");
}

TEST(Repeats, what_was_completed_and_ended_stays_so_after_a_resume) {
  Process process({kCompleted, kCompleted, kEnded, kEnded});
  process.post(9);  // with the completion in one step
  process.evaluator->complete("s", "t");
  process.evaluator->complete("s", "u");  // with the end in one step
  process.evaluator->end_session("s");
  EXPECT_EQ(process.requests(), 4u);
}

TEST(Repeats, completing_and_ending_twice_in_ones_own_session_is_refused) {
  Process process({kBegun, kCompleted, kEnded, drop(), kCompleted, drop(), kEnded});
  process.begin();
  EXPECT_EQ(reason_of([&] { process.evaluator->complete("s", "t"); }), "TestCompleted");
  EXPECT_EQ(reason_of([&] { process.evaluator->end_session("s"); }), "SessionEnded");
  process.evaluator->complete("s", "t");  // after lost answers
  process.evaluator->end_session("s");
  EXPECT_EQ(process.requests(), 7u);
}

}  // namespace
}  // namespace tyto::client
