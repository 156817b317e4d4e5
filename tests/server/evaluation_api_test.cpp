// SPDX-License-Identifier: Apache-2.0
// Requests and answers without a socket. What the public server answers byte for byte is replayed
// against the program (tests/cli/serve_test.cpp); here is where we depart from it.
#include "tyto/server/evaluation_api.hpp"

#include <fstream>

#include "support/evaluation_folder.hpp"
#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::begin_session;
using testing_support::EvaluationFolder;
using testing_support::get;
using testing_support::new_session;
using testing_support::results;
using testing_support::slurp;

const std::string kTest = "OND.1.1.1";

TEST(EvaluationApi, keeps_one_copy_of_rows_that_are_posted_again) {
  const EvaluationFolder folder;
  EvaluationApi api(folder.options());
  const auto s = begin_session(api);
  const auto post = results(s, kTest, 0, {{"detection", "a,0.1\nb,0.1"}, {"notes", "x"}});
  EXPECT_EQ(api.answer(post).body, "OK");
  EXPECT_EQ(api.answer(post).body, "OK");
  const auto other = results(s, kTest, 0, {{"detection", "a,0.2\n"}});
  EXPECT_THAT(api.answer(other).body, HasSubstr("\"reason\":\"DetectionRepost\""));
  const auto next = results(s, kTest, 1, {{"detection", "e,0.3\n"}});
  EXPECT_EQ(api.answer(next).body, "OK");
  EXPECT_EQ(
      slurp(folder.results() / "OND/image_classification" / (s + "." + kTest + "_detection.csv")),
      "a,0.1\nb,0.1\ne,0.3\n");
}

TEST(EvaluationApi, as_the_public_server_glues_and_refuses_with_compat) {
  const EvaluationFolder folder;
  EvaluationApi api(folder.options(true));
  const auto s = begin_session(api);
  const auto post = results(s, kTest, 0, {{"detection", "zzz,high"}});
  EXPECT_EQ(api.answer(post).body, "OK");
  EXPECT_EQ(api.answer(post).status, 400);
  EXPECT_EQ(api.answer(results(s, kTest, 1, {{"detection", "e,0.3\n"}})).body, "OK");
  EXPECT_EQ(
      slurp(folder.results() / "OND/image_classification" / (s + "." + kTest + "_detection.csv")),
      "zzz,highe,0.3\n");
}

TEST(EvaluationApi, says_line_and_column_of_a_bad_number) {
  const EvaluationFolder folder;
  EvaluationApi api(folder.options());
  const auto s = begin_session(api);
  const auto said = api.answer(results(s, kTest, 0, {{"classification", "a,0,1\nb,0,nan\n"}}));
  EXPECT_EQ(said.status, 400);
  EXPECT_THAT(said.body, HasSubstr("classification: line 2: column 3 must be a probability"));
  EXPECT_FALSE(std::filesystem::exists(folder.results() / (s + "." + kTest + ".json")));
}

TEST(EvaluationApi, answers_the_same_question_again_also_after_a_restart) {
  const EvaluationFolder folder;
  std::string s;
  const auto ask = [&](EvaluationApi& api, const std::string& ids) {
    return api
        .answer(get("/session/feedback?session_id=" + s + "&test_id=" + kTest +
                    "&feedback_type=classification&feedback_ids=" + ids))
        .body;
  };
  {
    EvaluationApi api(folder.options());
    s = begin_session(api);
    const auto post = results(s, kTest, 0, {{"detection", "a,0.9\nb,0.9\nc,0.9\nd,0.9\n"}});
    EXPECT_EQ(api.answer(post).body, "OK");
    EXPECT_EQ(ask(api, "a%7Cb"), "a,2\nb,0\n");
    EXPECT_EQ(ask(api, "a%7Cb"), "a,2\nb,0\n");
  }
  EvaluationApi api(folder.options());
  EXPECT_EQ(ask(api, "a%7Cb"), "a,2\nb,0\n");
  EXPECT_EQ(ask(api, "c%7Cd"), "c,1\n");  // one line of the budget of three was left
  EXPECT_THAT(ask(api, "d"), HasSubstr("FeedbackBudgetExceeded"));
}

TEST(EvaluationApi, hints_of_one_session_change_nothing_for_another) {
  const EvaluationFolder folder;
  EvaluationApi api(folder.options());
  const auto answer = api.answer(new_session("OND", R"(["round_size=2"])"));
  const auto hinted = answer.body.substr(15, 36);
  const auto plain = begin_session(api);
  const auto metadata = [&](const std::string& session) {
    return api.answer(get("/test/metadata?test_id=" + kTest + "&session_id=" + session)).body;
  };
  EXPECT_THAT(metadata(hinted), HasSubstr("\"round_size\":2"));
  EXPECT_THAT(metadata(plain), HasSubstr("\"round_size\":4"));
}

TEST(EvaluationApi, reads_what_another_program_puts_into_the_folder) {
  const EvaluationFolder folder;
  EvaluationApi api(folder.options());
  const auto s = begin_session(api);
  const auto metadata = get("/test/metadata?test_id=" + kTest + "&session_id=" + s);
  EXPECT_EQ(api.answer(metadata).status, 200);
  const auto path = folder.results() / (s + ".json");
  std::string state = slurp(path);
  state.insert(1, "\"termination\": {\"time\": [\"2026-01-01 00:00:00.0\"]},");
  std::ofstream(path) << state;
  EXPECT_THAT(api.answer(metadata).body, HasSubstr("SessionEnded"));
}

TEST(EvaluationApi, lists_and_packs_sessions) {
  const EvaluationFolder folder;
  EvaluationApi api(folder.options());
  const auto s = begin_session(api);
  EXPECT_EQ(api.answer(results(s, kTest, 0, {{"detection", "a,0.9\n"}})).body, "OK");
  EXPECT_THAT(api.answer(get("/session/status")).body, HasSubstr(s + ",Owl-1,"));
  EXPECT_THAT(api.answer(get("/session/status")).body, Not(HasSubstr(kTest)));
  EXPECT_EQ(api.answer(get("/session/latest?session_id=" + s)).body, "{\"finished_tests\":[]}\n");
  const auto zip = api.answer(get("/session/zip?session_id=" + s + "&test_id=" + kTest));
  EXPECT_THAT(zip.body, HasSubstr("a,0.9\n"));
  EXPECT_THAT(zip.body, HasSubstr(s + "." + kTest + "_detection.csv"));
  const auto none = api.answer(get("/session/zip?session_id=" + s + "&test_id=other"));
  EXPECT_THAT(none.body, Not(HasSubstr("a,0.9\n")));
}

TEST(EvaluationApi, names_nothing_outside_of_its_folders) {
  const EvaluationFolder folder;
  EvaluationApi api(folder.options());
  const auto s = begin_session(api);
  for (const std::string& bad : {"..%2F" + s, s + "%00", std::string("..%2Fx"), std::string("."),
                                 std::string(300, 'a'), std::string("%FF")}) {
    for (const std::string path :
         {"/session/latest?", "/session/zip?", "/test/metadata?test_id=x&"}) {
      EXPECT_EQ(api.answer(get(path + "session_id=" + bad)).status, 400) << path << bad;
    }
    EXPECT_EQ(api.answer({"DELETE", "/session?session_id=" + bad, "", ""}).status, 400) << bad;
    const auto ask = "session_id=" + s + "&test_id=" + bad;
    EXPECT_EQ(api.answer(get("/session/dataset?round_id=0&" + ask)).status, 500) << bad;
    EXPECT_EQ(api.answer({"DELETE", "/test?" + ask, "", ""}).status, 500) << bad;
    EXPECT_EQ(api.answer(get("/test/ids?protocol=OND&domain=" + bad)).status, 400) << bad;
  }
  const auto climbing = results(s, kTest, 0, {{"../../x", "a"}});
  EXPECT_EQ(api.answer(climbing).status, 400);
  for (const auto& entry : std::filesystem::directory_iterator(folder.results())) {
    const auto name = entry.path().filename().string();
    EXPECT_TRUE(name == s + ".json" || name == ".tyto") << name;
  }
}

TEST(EvaluationApi, is_quick_where_nothing_is_written) {
  EXPECT_TRUE(EvaluationApi::is_quick(get("/test/metadata?session_id=a&test_id=b")));
  EXPECT_FALSE(EvaluationApi::is_quick(get("/session/dataset?session_id=a&test_id=b&round_id=0")));
  EXPECT_FALSE(EvaluationApi::is_quick(get("/test/metadata/more")));
  EXPECT_FALSE(EvaluationApi::is_quick(results("a", kTest, 0, {{"detection", "x,0.1"}})));
}

TEST(EvaluationApi, reads_rounds_as_python_does) {
  EXPECT_EQ(python_whole_number(" +1 "), 1);
  EXPECT_EQ(python_whole_number("0_1"), 1);
  EXPECT_EQ(python_whole_number("-2"), -2);
  EXPECT_EQ(python_whole_number("1000000000000000000000000"), 9223372036854775807);
  for (const auto* bad : {"", " ", "abc", "1.5", "_1", "1_", "1__0", "+", "0x1", "1 2"}) {
    EXPECT_EQ(python_whole_number(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace tyto
