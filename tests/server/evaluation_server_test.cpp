// SPDX-License-Identifier: Apache-2.0
// The server as agents meet it, well-behaved and not: bytes through plain sockets.
#include "tyto/server/evaluation_server.hpp"

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "support/evaluation_folder.hpp"
#include "support/http_client.hpp"
#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::Client;
using testing_support::EvaluationFolder;
using testing_support::form_body;
using testing_support::form_request;
using testing_support::get;
using testing_support::new_session;
using testing_support::raw_request;
using testing_support::results;
using testing_support::slurp;

const std::string kServedTest = "OND.1.1.1";
const ListenOptions kAnyPort{.host = "127.0.0.1", .port = 0, .log = ""};

std::string talk(std::uint16_t port, const std::string& bytes) {
  const Client client(port);
  client.send(bytes);
  client.end_sending();
  return client.rest();
}

std::string body_of(const std::string& answer) {
  const auto at = answer.find("\r\n\r\n");
  return at == answer.npos ? "" : answer.substr(at + 4);
}

std::string begin(std::uint16_t port) {
  return nlohmann::json::parse(body_of(talk(port, raw_request(new_session()))))["session_id"];
}

TEST(EvaluationServer, answers_a_get_with_a_body_and_a_long_target) {
  const EvaluationFolder folder;
  const EvaluationServer server(folder.options(), kAnyPort);
  auto request = form_request(
      "/test/ids",
      {{"test_requirements",
        R"({"protocol": "OND", "domain": "image_classification", "detector_seed": 1})"}});
  request.method = "GET";
  EXPECT_EQ(body_of(talk(server.port(), raw_request(request))), "OND.1.1.1\nOND.1.1.2\n");
  const auto longest = "/test/ids?protocol=OND&x=" + std::string(100'000, 'y');
  EXPECT_EQ(body_of(talk(server.port(), raw_request(get(longest)))), "OND.1.1.1\nOND.1.1.2\n");
}

TEST(EvaluationServer, keeps_a_connection_open_for_who_wants_it) {
  const EvaluationFolder folder;
  const EvaluationServer server(folder.options(), kAnyPort);
  const Client client(server.port());
  client.send("GET /test/ids?protocol=OND HTTP/1.1\r\nHost: x\r\n\r\n");
  client.send("GET /ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const auto both = client.rest();
  EXPECT_THAT(both, StartsWith("HTTP/1.1 200 OK"));
  EXPECT_THAT(both, HasSubstr("HTTP/1.1 404 Not Found"));
}

TEST(EvaluationServer, answers_a_quick_request_after_those_that_came_before_it) {
  const EvaluationFolder folder;
  const EvaluationServer server(folder.options(), kAnyPort);
  const std::string session = begin(server.port());
  const std::string about = "?session_id=" + session + "&test_id=" + kServedTest;
  const Client client(server.port());
  client.send("GET /session/dataset" + about + "&round_id=0 HTTP/1.1\r\nHost: x\r\n\r\n" +
              raw_request(get("/test/metadata" + about)));
  const auto both = client.rest();
  const auto rows = both.find("text/csv");
  const auto metadata = both.find("\"round_size\"");
  ASSERT_NE(rows, both.npos);
  ASSERT_NE(metadata, both.npos);
  EXPECT_LT(rows, metadata);
}

TEST(EvaluationServer, refuses_a_port_that_is_taken_and_words_that_are_no_address) {
  const EvaluationFolder folder, other;
  const EvaluationServer server(folder.options(), kAnyPort);
  ListenOptions taken = kAnyPort;
  taken.port = server.port();
  EXPECT_THROW(EvaluationServer(other.options(), taken), Error);
  EXPECT_THROW(EvaluationServer(folder.options(), kAnyPort), Error);  // the results are in use
  EXPECT_THROW(listen_at("12345"), Error);
  EXPECT_THROW(listen_at("localhost:"), Error);
  EXPECT_THROW(listen_at("localhost:70000"), Error);
  EXPECT_EQ(listen_at("[::1]:80").host, "::1");
}

struct BadRequest {
  const char* what;
  std::string bytes;
  const char* status;  // "": the connection is closed without an answer
  const char* reason;
};

std::vector<BadRequest> bad_requests(const std::string& s) {
  const auto post = [&](int round, const std::string& type, const std::string& rows) {
    return raw_request(results(s, kServedTest, round, {{type, rows}}));
  };
  const auto session = [](WireRequest request, const std::string& body) {
    request.body = body;
    return raw_request(request);
  };
  const auto fresh = new_session();
  const std::string head = "POST /session HTTP/1.1\r\nHost: x\r\n";
  auto other_boundary = fresh;
  other_boundary.content_type = "multipart/form-data; boundary=other";
  auto no_boundary = fresh;
  no_boundary.content_type = "multipart/form-data";
  const auto identified = [&](const std::string& identification) {
    return raw_request(form_request("/session/results", {{"test_identification", identification},
                                                         {"detection_file", "a,0.5\n"}}));
  };
  const std::string ask =
      "/session/dataset?session_id=" + s + "&test_id=" + kServedTest + "&round_id=";
  auto json = fresh;
  json.content_type = "application/json";
  return {
      {"multipart without its end", session(fresh, fresh.body.substr(0, fresh.body.size() - 14)),
       "400", "MissingParamsError"},
      {"another boundary", raw_request(other_boundary), "400", "MissingParamsError"},
      {"no boundary", raw_request(no_boundary), "400", "MissingParamsError"},
      {"an empty body", session(fresh, ""), "400", "MissingParamsError"},
      {"a body of zeros", session(fresh, std::string(5000, '\0')), "400", "MissingParamsError"},
      {"JSON that breaks off", session(json, "{\"configuration\": {"), "400", "MalformedRequest"},
      {"JSON nested too deep", session(json, std::string(100'000, '[')), "400", "MalformedRequest"},
      {"a list for an object", session(json, "[1]"), "400", "MissingParamsError"},
      {"invalid UTF-8 in a part",
       raw_request(form_request("/session", {{"configuration", "{\"protocol\": \"\xFF\"}"}})),
       "400", "MalformedRequest"},
      {"invalid UTF-8 in rows", post(0, "detection", "a,0.5\xC3\n"), "400", "MalformedRequest"},
      {"a zero byte in rows", post(0, "detection", std::string("a,0.5\0\n", 7)), "400",
       "MalformedRequest"},
      {"a zero byte in a session's id", raw_request(get("/session/latest?session_id=" + s + "%00")),
       "400", "session_id_invalid"},
      {"a climbing session", raw_request(get("/session/latest?session_id=..%2F..%2Fetc%2Fpasswd")),
       "400", "session_id_invalid"},
      {"a climbing test",
       raw_request(get("/session/dataset?session_id=" + s + "&test_id=..%2F" + kServedTest +
                       "&round_id=0")),
       "500", "test_id_invalid"},
      {"a climbing domain", raw_request(get("/test/ids?protocol=OND&domain=..%2FOND")), "400",
       "BadDomain"},
      {"a climbing type of results", post(0, "../x", "a"), "400", "InvalidResults"},
      {"a negative round", raw_request(get(ask + "-1")), "400", "InvalidRound"},
      {"a round that is text", raw_request(get(ask + "abc")), "500", "<class 'ValueError'>"},
      {"a round of fractions", raw_request(get(ask + "1.5")), "500", "<class 'ValueError'>"},
      {"a post to a negative round", post(-1, "detection", "a,0.5\n"), "400", "InvalidRound"},
      {"a post to an enormous round",
       identified("{\"session_id\": \"" + s + "\", \"test_id\": \"" + kServedTest +
                  "\", \"round_id\": 1e300, \"result_types\": \"detection\"}"),
       "400", "InvalidRound"},
      {"an identification that is no JSON", identified("{bad"), "400", "MalformedRequest"},
      {"an identification without keys", identified("{}"), "400", "MissingParamsError"},
      {"types as a number",
       identified("{\"session_id\": \"" + s + "\", \"test_id\": \"" + kServedTest +
                  "\", \"round_id\": 0, \"result_types\": 7}"),
       "400", "MissingParamsError"},
      {"rows of different widths", post(0, "classification", "a,0,1\nb,1\n"), "400",
       "InvalidResults"},
      {"ids alone", post(0, "detection", "a\nb\n"), "400", "InvalidResults"},
      {"no rows", post(0, "detection", ""), "400", "InvalidResults"},
      {"a quote that is never closed", post(0, "detection", "\"a,0.5\n"), "400", "InvalidResults"},
      {"NaN", post(0, "detection", "a,nan\n"), "400", "InvalidResults"},
      {"infinity", post(0, "detection", "a,inf\n"), "400", "InvalidResults"},
      {"a number beyond one", post(0, "detection", "a,1.5\n"), "400", "InvalidResults"},
      {"a sample of no test", post(0, "detection", "stranger,0.5\n"), "400", "InvalidResults"},
      {"a target beyond all bounds",
       "GET /test/ids?x=" + std::string(300'000, 'y') + " HTTP/1.1\r\nHost: x\r\n\r\n", "", ""},
      {"a header beyond all bounds",
       "GET /test/ids HTTP/1.1\r\nX: " + std::string(100'000, 'y') + "\r\n\r\n", "", ""},
      {"too many headers",
       head +
           [] {
             std::string out;
             for (int i = 0; i < 300; ++i) {
               out += "X" + std::to_string(i) + ": y\r\n";
             }
             return out + "\r\n";
           }(),
       "", ""},
      {"a body announced beyond all bounds", head + "Content-Length: 99999999999\r\n\r\n", "", ""},
      {"a length that is none", head + "Content-Length: -5\r\n\r\n", "", ""},
      {"no HTTP at all", "hello\r\n\r\n", "", ""},
      {"a body that breaks off", head + "Content-Length: 100\r\n\r\nabc", "", ""},
  };
}

TEST(EvaluationServer, answers_bad_requests_as_documented) {
  const EvaluationFolder folder;
  const EvaluationServer server(folder.options(), kAnyPort);
  const auto s = begin(server.port());
  for (const auto& bad : bad_requests(s)) {
    const auto answer = talk(server.port(), bad.bytes);
    if (std::string_view(bad.status).empty()) {
      EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 4")) << bad.what << answer;
      continue;
    }
    EXPECT_THAT(answer, StartsWith(std::string("HTTP/1.1 ") + bad.status)) << bad.what;
    const auto json = nlohmann::json::parse(body_of(answer), nullptr, false);
    ASSERT_TRUE(json.is_object()) << bad.what << answer;
    EXPECT_EQ(json.size(), 3U) << bad.what;
    EXPECT_EQ(json["reason"], bad.reason) << bad.what << json.dump();
  }
  // Nothing of it was stored, and the server is well.
  EXPECT_FALSE(std::filesystem::exists(folder.results() / (s + "." + kServedTest + ".json")));
  EXPECT_THAT(
      talk(server.port(), raw_request(results(s, kServedTest, 0, {{"detection", "a,1\n"}}))),
      StartsWith("HTTP/1.1 200 OK"));
}

TEST(EvaluationServer, of_parts_of_one_name_takes_the_first) {
  const EvaluationFolder folder;
  const EvaluationServer server(folder.options(), kAnyPort);
  const auto s = begin(server.port());
  auto post = results(s, kServedTest, 0, {{"detection", "a,0.1\n"}});
  const std::string end = form_body({});
  post.body = post.body.substr(0, post.body.size() - end.size()) +
              form_body({{"detection_file", "a,0.9\n"}});
  EXPECT_THAT(talk(server.port(), raw_request(post)), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_EQ(slurp(folder.results() / "OND/image_classification" /
                  (s + "." + kServedTest + "_detection.csv")),
            "a,0.1\n");
}

// Sixteen agents post to the same tests of the same session, each row of its own, and complete
// them: every row is there once, every test completed once.
TEST(EvaluationServer, loses_and_doubles_nothing_when_many_come_at_once) {
  const EvaluationFolder folder;
  const EvaluationServer server(folder.options(), kAnyPort);
  const auto s = begin(server.port());
  const std::vector<std::string> tests{"OND.1.1.1", "OND.1.1.2", "OND.1.1.3"};
  constexpr int kAgents = 16;
  constexpr int kPosts = 12;
  std::atomic<int> refused{0}, completions{0};
  std::vector<std::thread> agents;
  for (int agent = 0; agent < kAgents; ++agent) {
    agents.emplace_back([&, agent] {
      for (int i = 0; i < kPosts; ++i) {
        const auto number = agent * kPosts + i;
        const auto row = "a,0." + std::to_string(1000 + number) + "\n";
        const auto post = raw_request(results(s, tests[static_cast<std::size_t>(i) % 3], number,
                                              {{"classification", row}, {"detection", row}}));
        for (int again = 0; again < 2; ++again) {  // as after an answer that was lost
          const auto answer = talk(server.port(), post);
          if (!answer.starts_with("HTTP/1.1 200")) {
            ++refused;
            ADD_FAILURE() << "agent " << agent << ", post " << i << ": " << answer;
          }
        }
      }
    });
  }
  for (auto& agent : agents) {
    agent.join();
  }
  EXPECT_EQ(refused, 0);
  for (const auto& test : tests) {
    for (const auto* type : {"classification", "detection"}) {
      std::ifstream file(folder.results() / "OND/image_classification" /
                         (s + "." + test + "_" + type + ".csv"));
      std::multiset<std::string> rows;
      for (std::string line; std::getline(file, line);) {
        rows.insert(line);
      }
      EXPECT_EQ(rows.size(), kAgents * kPosts / 3U);
      EXPECT_EQ(std::set<std::string>(rows.begin(), rows.end()).size(), rows.size());
    }
    const auto state = nlohmann::json::parse(slurp(folder.results() / (s + "." + test + ".json")));
    EXPECT_EQ(state["post_results"]["rounds"].size(), kAgents * kPosts / 3U);
  }
  agents.clear();
  for (int agent = 0; agent < kAgents; ++agent) {
    agents.emplace_back([&] {
      for (const auto& test : tests) {
        const auto answer =
            talk(server.port(),
                 raw_request({"DELETE", "/test?session_id=" + s + "&test_id=" + test, "", ""}));
        completions += answer.starts_with("HTTP/1.1 200") ? 1 : 0;
      }
    });
  }
  for (auto& agent : agents) {
    agent.join();
  }
  EXPECT_EQ(completions, 3);
  const auto latest = nlohmann::json::parse(
      body_of(talk(server.port(), raw_request(get("/session/latest?session_id=" + s)))));
  EXPECT_EQ(latest["finished_tests"].size(), 3U);
}

TEST(EvaluationServer, writes_a_line_for_every_request) {
  const EvaluationFolder folder;
  ListenOptions listen = kAnyPort;
  listen.log = folder.results().parent_path() / "log";
  const EvaluationServer server(folder.options(), listen);
  talk(server.port(), raw_request(get("/ping?x=1")));
  EXPECT_THAT(slurp(listen.log), HasSubstr(" GET /ping?x=1 404 "));
}

}  // namespace
}  // namespace tyto
