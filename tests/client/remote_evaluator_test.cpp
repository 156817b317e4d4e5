// SPDX-License-Identifier: Apache-2.0
// Every call of an evaluation: what goes over the wire, and what is made of the answers.
#include "tyto/client/remote_evaluator.hpp"

#include "support/scripted_server.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/sail_on/refused.hpp"

namespace tyto::client {
namespace {

using sail_on::Refused;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;
using testing_support::answer;
using testing_support::answer_json;
using testing_support::Reaction;
using testing_support::refuse;
using testing_support::ScriptedServer;
using testing_support::SeenPart;
using testing_support::SeenRequest;

// An evaluator, and a server that answers it so.
struct Wire {
  explicit Wire(std::vector<Reaction> reactions) : server(std::move(reactions)) {
    ServerAddress address;
    address.url = server.url();
    address.tries = 3;
    address.first_pause_s = 0.001;
    evaluator = connect(address, progress);
  }

  [[nodiscard]] SeenRequest only() const {
    const auto seen = server.seen();
    EXPECT_EQ(seen.size(), 1u);
    return seen.at(0);
  }

  ScriptedServer server;
  Progress progress;
  std::unique_ptr<sail_on::Evaluator> evaluator;
};

// Name and content, after checking what the public client does with every part.
std::vector<std::pair<std::string, std::string>> contents(const SeenRequest& request) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const SeenPart& part : request.parts()) {
    EXPECT_EQ(part.name, part.filename);
    EXPECT_FALSE(part.typed);
    out.emplace_back(part.name, part.content);
  }
  return out;
}

template <class Call>
std::string failure_of(const Call& call, ErrorKind kind) {
  try {
    call();
  } catch (const Refused& no) {
    ADD_FAILURE() << "refused: " << no.what();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "";
}

sail_on::SessionRequest request_of(const std::string& detector, const std::string& test) {
  sail_on::SessionRequest request;
  request.detector = detector;
  request.test_ids = {test};
  return request;
}

TEST(RemoteEvaluator, says_nothing_before_it_is_asked) {
  const Wire wire({answer(200, "OK")});
  EXPECT_THAT(wire.server.seen(), IsEmpty());
}

TEST(RemoteEvaluator, asks_for_tests_with_a_body_on_get) {
  const Wire wire({answer(200, "OND.1.1.1234\r\n\n \"OND.1.1.5\",\nOND.2", "text/csv")});
  EXPECT_THAT(wire.evaluator->test_ids("OND", "transcripts"),
              ElementsAre("OND.1.1.1234", "OND.1.1.5", "OND.2"));
  EXPECT_EQ(wire.only().method, "GET");
  EXPECT_EQ(wire.only().target, "/test/ids");
  EXPECT_THAT(contents(wire.only()),
              ElementsAre(Pair("test_requirements",
                               R"({"protocol":"OND","domain":"transcripts","detector_seed":"0"})"),
                          Pair("test_assumptions", "{}")));
}

TEST(RemoteEvaluator, begins_a_session) {
  const Wire wire({answer_json(200, "{\"session_id\":\"3f2b\"}\n")});
  EXPECT_EQ(wire.evaluator->begin_session({.protocol = "CONDDA",
                                           .domain = "image_classification",
                                           .detector = "Owl \"\xC3\xBC\" 1",
                                           .detection_threshold = 0.25,
                                           .hints = {"red_light", "round_size=3"},
                                           .test_ids = {"T.1", "T.2"}}),
            "3f2b");
  EXPECT_EQ(wire.only().method, "POST");
  EXPECT_EQ(wire.only().target, "/session");
  EXPECT_THAT(
      contents(wire.only()),
      ElementsAre(Pair("test_ids", "T.1\nT.2\n"),
                  Pair("configuration", R"({"protocol":"CONDDA","novelty_detector_version":"Owl \")"
                                        "\xC3\xBC"
                                        R"(\" 1","domain":"image_classification",)"
                                        R"("hints":["red_light","round_size=3"],)"
                                        R"("detection_threshold":0.25})")));
}

TEST(RemoteEvaluator, does_not_send_what_cannot_be_said) {
  const Wire wire({answer_json(200, "{\"session_id\":\"3f2b\"}\n")});
  sail_on::Evaluator& evaluator = *wire.evaluator;
  EXPECT_THAT(
      failure_of([&] { evaluator.begin_session(request_of("owl", "a\nb")); }, ErrorKind::data),
      HasSubstr("ids are lines"));
  EXPECT_THAT(
      failure_of([&] { evaluator.begin_session(request_of("\xFF", "t")); }, ErrorKind::data),
      HasSubstr("JSON"));
  EXPECT_EQ(failure_of(
                [&] { evaluator.feedback("s", "t", 0, "labels", std::vector<std::string>{"a|b"}); },
                ErrorKind::data),
            "no feedback about \"a|b\": | stands between ids");
  EXPECT_THAT(wire.server.seen(), IsEmpty());
}

TEST(RemoteEvaluator, reads_what_the_metadata_tell) {
  const Wire wire({answer_json(
      200, R"({"feedback_max_ids":5,"known_classes":"88","max_detection_feedback_ids":2.0,)"
           R"("max_novel_classes":4,"pre_novelty_batches":5,"protocol":"OND",)"
           R"("red_light":"e2f2.mp4","round_size":32})")});
  const sail_on::TestBrief brief = wire.evaluator->brief("s 1", "T.1");
  EXPECT_EQ(wire.only().method, "GET");
  EXPECT_EQ(wire.only().target, "/test/metadata?test_id=T.1&session_id=s%201");
  EXPECT_EQ(brief.round_size, 32);
  EXPECT_EQ(brief.known_classes, 88);
  EXPECT_EQ(brief.max_novel_classes, 4);
  EXPECT_EQ(brief.pre_novelty_batches, 5);
  EXPECT_EQ(brief.feedback_max_ids, 5);
  EXPECT_EQ(brief.max_detection_feedback_ids, 2);
  EXPECT_EQ(brief.red_light, "e2f2.mp4");
}

TEST(RemoteEvaluator, leaves_open_what_the_metadata_do_not_tell) {
  const Wire wire({answer_json(200, R"({"protocol":"OND","known_classes":null,"red_light":17})"),
                   answer_json(200, R"({"round_size":-3})"),
                   answer_json(200, R"({"feedback_max_ids":[1]})"), answer_json(200, "[]")});
  const sail_on::TestBrief brief = wire.evaluator->brief("s", "t");
  EXPECT_EQ(brief.round_size, 0);
  EXPECT_FALSE(brief.known_classes || brief.max_novel_classes || brief.pre_novelty_batches ||
               brief.feedback_max_ids || brief.max_detection_feedback_ids);
  EXPECT_EQ(brief.red_light, "17");
  const auto ask = [&] { wire.evaluator->brief("s", "t"); };
  EXPECT_THAT(failure_of(ask, ErrorKind::data), HasSubstr("round_size is \"-3\", not a whole"));
  EXPECT_THAT(failure_of(ask, ErrorKind::data), HasSubstr("feedback_max_ids is \"[1]\", not a"));
  EXPECT_THAT(failure_of(ask, ErrorKind::io),
              HasSubstr("answered 200 with \"[]\", not with a JSON"));
}

TEST(RemoteEvaluator, reads_rounds_until_204_and_believes_it_at_once) {
  const Wire wire(
      {answer(200, " a.jpg\nb,c.jpg\n", "Content-Type: text/csv; charset=utf-16"),
       answer(200, {"\xFF\xFE"
                    "7\0,\0|\0x\0|\0\n\0",
                    14}),
       Reaction{"HTTP/1.1 204 NO CONTENT\r\nContent-Type: application/json\r\n\r\n", false},
       answer(200, "never asked for\n")});
  using Ids = std::vector<std::string>;
  EXPECT_EQ(wire.evaluator->round("s", "T", 0), (Ids{" a.jpg", "b,c.jpg"}));
  EXPECT_EQ(wire.evaluator->round("s", "T", 1), Ids{"7"});
  EXPECT_EQ(wire.evaluator->round("s", "T", 2), std::nullopt);
  const auto seen = wire.server.seen();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].method, "GET");
  EXPECT_EQ(seen[0].target, "/session/dataset?session_id=s&test_id=T&round_id=0");
  EXPECT_EQ(seen[2].target, "/session/dataset?session_id=s&test_id=T&round_id=2");
}

TEST(RemoteEvaluator, posts_the_results_of_a_round_in_one_request) {
  const Wire wire({answer(200, "OK")});
  const std::vector<sail_on::ResultFile> files = {{"detection", "a.mp4,0.02\n"},
                                                  {"classification", "a.mp4,0.7,0.3\n"}};
  wire.evaluator->post("s", "T", 3, files);
  EXPECT_EQ(wire.only().method, "POST");
  EXPECT_EQ(wire.only().target, "/session/results");
  EXPECT_THAT(
      contents(wire.only()),
      ElementsAre(Pair("test_identification", R"({"session_id":"s","test_id":"T","round_id":3,)"
                                              R"("result_types":"detection|classification"})"),
                  Pair("detection_file", "a.mp4,0.02\n"),
                  Pair("classification_file", "a.mp4,0.7,0.3\n")));
}

TEST(RemoteEvaluator, asks_for_feedback_about_ids_of_any_kind) {
  const Wire wire({answer(200, "a,1\n", "text/csv"), answer(200, "", "text/csv")});
  const std::vector<std::string> ids = {" a b", "with,comma", "\"q\"", "sub/x", "m\xC3\xBCll"};
  EXPECT_EQ(wire.evaluator->feedback("s", "T", 4, "classification", ids), "a,1\n");
  EXPECT_EQ(wire.evaluator->feedback("s", "T", 5, "score", {}), "");
  const auto seen = wire.server.seen();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].method, "GET");
  EXPECT_EQ(seen[0].path(), "/session/feedback");
  EXPECT_THAT(
      seen[0].query(),
      UnorderedElementsAre(Pair("session_id", "s"), Pair("test_id", "T"), Pair("round_id", "4"),
                           Pair("feedback_type", "classification"),
                           Pair("feedback_ids", " a b|with,comma|\"q\"|sub/x|m\xC3\xBCll")));
  EXPECT_EQ(seen[1].target,
            "/session/feedback?session_id=s&test_id=T&round_id=5&feedback_type=score");
}

TEST(RemoteEvaluator, asks_about_hundreds_of_ids_at_once) {
  const Wire wire({answer(200, "", "text/csv")});
  std::vector<std::string> ids;
  std::string joined;
  for (int i = 0; i < 300; ++i) {
    ids.push_back("91e68de4-49ca-4b34-a236-93896a14b" + std::to_string(100 + i) + ".mp4");
    joined += (i == 0 ? "" : "|") + ids.back();
  }
  wire.evaluator->feedback("s", "T", 0, "labels", ids);
  EXPECT_GT(wire.only().target.size(), 12'000u);
  EXPECT_EQ(wire.only().query().at("feedback_ids"), joined);
}

TEST(RemoteEvaluator, completes_and_ends) {
  const Wire wire({answer(200, "OK")});
  wire.evaluator->complete("s", "T/1");
  wire.evaluator->end_session("s");
  const auto seen = wire.server.seen();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].method + " " + seen[0].target, "DELETE /test?test_id=T%2F1&session_id=s");
  EXPECT_EQ(seen[1].method + " " + seen[1].target, "DELETE /session?session_id=s");
}

TEST(RemoteEvaluator, lists_what_is_completed_also_before_anything_is) {
  const Wire wire({answer_json(200, "{\"finished_tests\":[\"T.2\",\"T.1\"]}\n"),
                   refuse(500, "<class 'KeyError'>", "'tests'"),
                   refuse(500, "<class 'KeyError'>", "'created'"),
                   refuse(400, "SessionEnded", "'tests'"), answer_json(200, "{}"),
                   answer_json(200, "{\"finished_tests\":[1]}")});
  sail_on::Evaluator& evaluator = *wire.evaluator;
  EXPECT_THAT(evaluator.completed("s"), ElementsAre("T.2", "T.1"));
  EXPECT_THAT(evaluator.completed("s"), IsEmpty());
  EXPECT_THROW(evaluator.completed("s"), Refused);
  EXPECT_THROW(evaluator.completed("s"), Refused);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(failure_of([&] { evaluator.completed("s"); }, ErrorKind::io),
                HasSubstr("not with a list of finished_tests"));
  }
  EXPECT_EQ(wire.server.seen().size(), 6u);  // none of them twice
  EXPECT_EQ(wire.server.seen()[0].target, "/session/latest?session_id=s");
}

TEST(RemoteEvaluator, tells_the_reason_of_a_refusal_and_does_not_ask_twice) {
  const Wire wire({refuse(400, "session_id_invalid", "Provided session id q7 could not be found"),
                   answer_json(500, R"({"reason":"test_id_invalid","stack_trace":["a","b"]})")});
  try {
    wire.evaluator->brief("q7", "t");
    FAIL() << "accepted";
  } catch (const Refused& no) {
    EXPECT_EQ(no.status(), 400);
    EXPECT_EQ(no.reason(), "session_id_invalid");
    EXPECT_EQ(no.what(), "GET " + wire.server.url() +
                             "/test/metadata?test_id=t&session_id=q7: session_id_invalid: Provided "
                             "session id q7 could not be found");
  }
  try {
    wire.evaluator->round("s", "t", 1);
    FAIL() << "accepted";
  } catch (const Refused& no) {
    EXPECT_EQ(no.status(), 500);
    EXPECT_EQ(no.reason(), "test_id_invalid");
  }
  EXPECT_EQ(wire.server.seen().size(), 2u);
}

TEST(RemoteEvaluator, quotes_what_came_back_instead_of_an_evaluation) {
  const std::string page = "\r\n <!doctype html>\n<title>404</title>";
  const Wire wire({answer(404, page), answer(400, std::string(5000, 'x')),
                   answer_json(422, "{\"detail\":\"no\"}"), answer(302, ""),
                   answer(200, "<html>hello</html>"), answer(204, ""), answer(500, page)});
  sail_on::Evaluator& evaluator = *wire.evaluator;
  const std::string url = wire.server.url();
  const auto end = [&] { return failure_of([&] { evaluator.end_session("s"); }, ErrorKind::io); };
  EXPECT_EQ(end(), "DELETE " + url +
                       "/session?session_id=s: answered 404 with \"<!doctype html>\", not with "
                       "200 or a reason in JSON");
  EXPECT_THAT(end(), HasSubstr("answered 400 with \"" + std::string(200, 'x') + "\"..., not"));
  EXPECT_THAT(end(), HasSubstr("answered 422 with \"{\"detail\":\"no\"}\", not"));
  EXPECT_THAT(end(), HasSubstr("answered 302 with nothing, not"));
  EXPECT_THAT(failure_of([&] { evaluator.begin_session(request_of("owl", "t")); }, ErrorKind::io),
              HasSubstr("answered 200 with \"<html>hello</html>\", not with a JSON object"));
  EXPECT_THAT(end(), HasSubstr("answered 204 with nothing"));
  EXPECT_EQ(wire.server.seen().size(), 6u);
  EXPECT_THAT(end(), HasSubstr("answered 500 with \"<!doctype html>\" in 3 tries, not"));
  EXPECT_EQ(wire.server.seen().size(), 9u);
}

}  // namespace
}  // namespace tyto::client
