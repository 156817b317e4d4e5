// SPDX-License-Identifier: Apache-2.0
// Calls as a server meets them, and servers as a call may meet them.
#include "tyto/client/http_client.hpp"

#include <deque>
#include <functional>

#include "support/scripted_server.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tyto/core/error.hpp"

namespace tyto::client {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::answer;
using testing_support::answer_json;
using testing_support::drop;
using testing_support::half_an_answer;
using testing_support::never_answer;
using testing_support::Reaction;
using testing_support::refuse;
using testing_support::ScriptedServer;
using testing_support::SeenRequest;

ServerAddress hasty(const std::string& url) {
  ServerAddress address;
  address.url = url;
  address.tries = 4;
  address.first_pause_s = 0.001;
  return address;
}

// What a call says where it fails.
template <class Call>
std::string failure(const Call& call, ErrorKind kind) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(ServerUrl, takes_what_a_user_types) {
  EXPECT_EQ(server_url("http://127.0.0.1:12345"), "http://127.0.0.1:12345");
  EXPECT_EQ(server_url("localhost:80//"), "http://localhost:80");
  EXPECT_EQ(server_url("host"), "http://host");
  EXPECT_EQ(server_url("http://[::1]:9/behind/a/proxy/"), "http://[::1]:9/behind/a/proxy");
  EXPECT_EQ(server_url("[::1]"), "http://[::1]");
}

TEST(ServerUrl, refuses_what_is_no_address) {
  const auto refused = [](const std::string& typed) {
    return failure([&] { server_url(typed); }, ErrorKind::config);
  };
  EXPECT_EQ(refused("https://host:1"),
            "\"https://host:1\" is no address of a server: only http is spoken; expected "
            "http://HOST:PORT");
  EXPECT_THAT(refused(""), HasSubstr("host is missing"));
  EXPECT_THAT(refused("http://:80"), HasSubstr("host is missing"));
  for (const char* port : {"host:", "host:x", "host:0", "host:65536", "host:-1"}) {
    EXPECT_THAT(refused(port), HasSubstr("port is no number from 1 to 65535")) << port;
  }
  for (const char* odd : {"host:1/?a=b", "ho st:1", "me@host:1", "host:1#x", "host:1\n"}) {
    EXPECT_THAT(refused(odd), HasSubstr("blank, ?, # or @")) << odd;
  }
}

TEST(PauseAfter, doubles_up_to_the_longest_with_a_share_of_chance) {
  ServerAddress address;
  address.first_pause_s = 0.1;
  address.longest_pause_s = 0.5;
  Rng rng(3), same(3), other(4);
  bool differs = false;
  for (const auto& [tries, longest] :
       {std::pair(1, 0.1), {2, 0.2}, {3, 0.4}, {4, 0.5}, {60, 0.5}}) {
    const double pause = pause_after(tries, address, rng);
    EXPECT_GE(pause, 0.5 * longest);
    EXPECT_LE(pause, longest);
    EXPECT_EQ(pause, pause_after(tries, address, same));
    differs = differs || pause != pause_after(tries, address, other);
  }
  EXPECT_TRUE(differs);
}

TEST(HttpClient, encodes_whatever_a_query_holds) {
  const ScriptedServer server({answer(200, "OK")});
  Progress progress;
  HttpClient client(hasty(server.url()), progress);
  const std::string odd = "a b,\"c\"/'d'|100%+&=?#\xC3\xBC\n~-_.";
  const HttpReply reply = client.send({"GET", "/x", {{"id", odd}, {"n", "1"}}, {}});
  EXPECT_EQ(reply.answer.status, 200);
  EXPECT_EQ(reply.answer.body, "OK");
  EXPECT_THAT(reply.answer.headers,
              testing::Contains(std::pair<std::string, std::string>("content-type", "text/html")));
  EXPECT_FALSE(reply.repeated);
  ASSERT_EQ(server.seen().size(), 1u);
  const SeenRequest seen = server.seen()[0];
  EXPECT_EQ(seen.target,
            "/x?id=a%20b%2C%22c%22%2F%27d%27%7C100%25%2B%26%3D%3F%23%C3%BC%0A~-_.&n=1");
  EXPECT_EQ(seen.query().at("id"), odd);
  EXPECT_EQ(seen.headers.count("content-length"), 0u);
  EXPECT_THAT(seen.headers.at("user-agent"), StartsWith("tyto/"));
}

TEST(HttpClient, sends_targets_of_many_kilobytes) {
  const ScriptedServer server({answer(200, "OK")});
  Progress progress;
  HttpClient client(hasty(server.url()), progress);
  const std::string ids(30'000, 'x');
  client.send({"GET", "/session/feedback", {{"feedback_ids", ids}}, {}});
  ASSERT_EQ(server.seen().size(), 1u);
  EXPECT_EQ(server.seen()[0].query().at("feedback_ids"), ids);
}

TEST(HttpClient, sends_parts_as_the_public_client_does) {
  const ScriptedServer server({answer(200, "OK")});
  Progress progress;
  HttpClient client(hasty(server.url()), progress);
  for (const char* method : {"POST", "GET"}) {
    client.send({method, "/p", {}, {{"one", "a,1\n"}, {"two", ""}}});
  }
  const std::vector<SeenRequest> seen = server.seen();
  ASSERT_EQ(seen.size(), 2u);
  const std::string type = seen[0].headers.at("content-type");
  ASSERT_THAT(type, StartsWith("multipart/form-data; boundary="));
  const std::string mark = "--" + type.substr(30);
  EXPECT_EQ(seen[0].body, mark +
                              "\r\nContent-Disposition: form-data; name=\"one\"; filename=\"one\""
                              "\r\n\r\na,1\n\r\n" +
                              mark +
                              "\r\nContent-Disposition: form-data; name=\"two\"; filename=\"two\""
                              "\r\n\r\n\r\n" +
                              mark + "--\r\n");
  EXPECT_EQ(seen[0].method, "POST");
  EXPECT_EQ(seen[1].method, "GET");  // with the same body
  EXPECT_EQ(seen[1].body, seen[0].body);
  EXPECT_EQ(seen[1].headers.at("content-length"), std::to_string(seen[0].body.size()));
}

TEST(HttpClient, sends_and_gets_large_and_binary_bodies_without_asking_first) {
  std::string large(3'000'000, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) {
    large[i] = static_cast<char>(i * 7 % 256);
  }
  const ScriptedServer server({answer(200, large)});
  Progress progress;
  HttpClient client(hasty(server.url()), progress);
  const HttpReply reply = client.send({"POST", "/p", {}, {{"file", large}}});
  EXPECT_TRUE(reply.answer.body == large);
  ASSERT_EQ(server.seen().size(), 1u);
  EXPECT_EQ(server.seen()[0].headers.count("expect"), 0u);
  ASSERT_EQ(server.seen()[0].parts().size(), 1u);
  EXPECT_TRUE(server.seen()[0].parts()[0].content == large);
}

TEST(HttpClient, keeps_the_connection) {
  const ScriptedServer server({answer(200, "OK")});
  Progress progress;
  HttpClient client(hasty(server.url()), progress);
  for (int i = 0; i < 3; ++i) {
    client.send({i == 1 ? "DELETE" : "GET", "/", {}, {}});
  }
  ASSERT_EQ(server.seen().size(), 3u);
  for (const SeenRequest& request : server.seen()) {
    EXPECT_EQ(request.connection, 1);
  }
}

struct Meeting {
  const char* name;
  std::vector<Reaction> reactions;
  std::size_t requests;  // that arrive
  int status;            // of the answer in the end
};

TEST(HttpClient, tries_again_what_was_not_meant) {
  const Reaction ok = answer(200, "OK");
  const Reaction page = answer(502, "<html>Bad gateway</html>");
  const std::vector<Meeting> meetings = {
      {"dropped", {drop(), drop(), ok}, 3, 200},
      {"half", {half_an_answer(), ok}, 2, 200},
      {"no HTTP", {{"hello\r\n\r\n", true}, ok}, 2, 200},
      {"a page of an error", {page, answer(500, ""), ok}, 3, 200},
      {"never anything else", {page}, 4, 502},
  };
  for (const Meeting& meeting : meetings) {
    SCOPED_TRACE(meeting.name);
    const ScriptedServer server(meeting.reactions);
    Progress progress;
    HttpClient client(hasty(server.url()), progress);
    const HttpReply reply = client.send({"POST", "/p", {}, {{"part", "text"}}});
    EXPECT_EQ(reply.answer.status, meeting.status);
    EXPECT_TRUE(reply.repeated);
    EXPECT_EQ(reply.tries, static_cast<int>(meeting.requests));
    ASSERT_EQ(server.seen().size(), meeting.requests);
    for (const SeenRequest& request : server.seen()) {
      EXPECT_EQ(request.body, server.seen()[0].body);
    }
  }
}

TEST(HttpClient, tries_again_after_the_time_is_up) {
  const ScriptedServer server({never_answer(), answer(200, "OK")});
  Progress progress;
  ServerAddress address = hasty(server.url());
  address.timeouts.whole_s = 1.0;
  HttpClient client(address, progress);
  const HttpReply reply = client.send({"GET", "/", {}, {}});
  EXPECT_EQ(reply.answer.status, 200);
  EXPECT_TRUE(reply.repeated);
  EXPECT_EQ(server.seen().size(), 2u);
}

TEST(HttpClient, takes_an_answer_that_was_meant_at_once) {
  for (const auto& [meant, status] : {std::pair(answer(204, ""), 204),
                                      {refuse(400, "SessionEnded"), 400},
                                      {refuse(500, "test_id_invalid"), 500},
                                      {answer_json(503, "{}"), 503},
                                      {answer(404, "<html>"), 404},
                                      {answer(301, ""), 301}}) {
    const ScriptedServer server({meant, answer(200, "never asked for")});
    Progress progress;
    HttpClient client(hasty(server.url()), progress);
    const HttpReply reply = client.send({"GET", "/", {}, {}});
    EXPECT_EQ(reply.answer.status, status);
    EXPECT_EQ(reply.tries, 1);
    EXPECT_FALSE(reply.repeated);
    EXPECT_EQ(server.seen().size(), 1u);
  }
}

TEST(HttpClient, says_who_did_not_answer_how_often_and_why) {
  const ScriptedServer server({drop()});
  Progress progress;
  HttpClient client(hasty(server.url()), progress);
  const std::string said = failure(
      [&] {
        client.send({"GET", "/x", {{"id", std::string(9000, 'y')}}, {}});
      },
      ErrorKind::io);
  EXPECT_EQ(server.seen().size(), 4u);
  EXPECT_THAT(said, StartsWith("GET " + server.url() + "/x?id=yyyy"));
  EXPECT_THAT(said, EndsWith("yyy...: no answer in 4 tries: Empty reply from server"));
  EXPECT_LT(said.size(), 400u);
  std::string url;
  {
    const ScriptedServer gone({drop()});
    url = gone.url();
  }
  HttpClient lost(hasty(url), progress);
  EXPECT_THAT(failure(
                  [&] {
                    lost.send({"GET", "/", {}, {}});
                  },
                  ErrorKind::io),
              StartsWith("GET " + url + "/: no answer in 4 tries: Failed to connect"));
}

TEST(HttpClient, does_not_ask_the_environment_for_a_proxy) {
  const ScriptedServer server({answer(200, "OK")});
  ::setenv("http_proxy", "http://127.0.0.1:1", 1);
  Progress progress;
  HttpClient client(hasty(server.url()), progress);
  const HttpReply reply = client.send({"GET", "/", {}, {}});
  ::unsetenv("http_proxy");
  EXPECT_EQ(reply.answer.status, 200);
}

struct ScriptedTransport final : Transport {
  std::deque<TryOutcome> outcomes;

  TryOutcome exchange(const OutgoingRequest&) override {
    TryOutcome next = outcomes.front();
    outcomes.pop_front();
    return next;
  }
};

TEST(HttpClient, knows_whether_an_earlier_try_may_have_arrived) {
  const ServerAnswer ok{200, {}, "OK"};
  const TryOutcome refused{{}, "refused", 0}, lost{{}, "lost", 1}, good{ok, "", 1},
      good_at_second{ok, "", 2};
  for (const auto& [outcomes, repeated] :
       {std::pair(std::deque{good}, false),
        {std::deque{refused, refused, good}, false},  // nobody listened before
        {std::deque{lost, good}, true},
        {std::deque{lost, refused, good}, true},
        {std::deque{good_at_second}, true}}) {
    auto transport = std::make_unique<ScriptedTransport>();
    transport->outcomes = outcomes;
    Progress progress;
    HttpClient client(hasty("host"), progress, std::move(transport));
    const HttpReply reply = client.send({"GET", "/", {}, {}});
    EXPECT_EQ(reply.repeated, repeated);
    EXPECT_EQ(reply.tries, static_cast<int>(outcomes.size()));
  }
}

TEST(Transport, counts_how_often_a_request_went_out) {
  Progress progress;
  std::string url;
  {
    // A kept connection that ends with the second request: libcurl sends it again by itself.
    const ScriptedServer server({answer(200, "first"), drop(), answer(200, "third")});
    url = server.url();
    const auto transport = client_module().make_transport({}, progress);
    const TryOutcome first = transport->exchange({"GET", url + "/", "", ""});
    EXPECT_EQ(first.sent, 1);
    const TryOutcome second = transport->exchange({"POST", url + "/", "text/plain", "body"});
    ASSERT_TRUE(second.answer) << second.problem;
    EXPECT_EQ(second.answer->body, "third");
    EXPECT_EQ(second.sent, 2);
    ASSERT_EQ(server.seen().size(), 3u);
    EXPECT_EQ(server.seen()[1].body, "body");
    EXPECT_EQ(server.seen()[2].body, "body");
  }
  const TryOutcome nobody =
      client_module().make_transport({}, progress)->exchange({"GET", url + "/", "", ""});
  EXPECT_FALSE(nobody.answer);
  EXPECT_EQ(nobody.sent, 0);
}

// How a process ends that calls and gets Ctrl-C. 0: by that.
int interrupted_exit(const std::function<void(const ServerAddress&, Progress&)>& call,
                     const std::string& url, const std::function<void(pid_t)>& interrupt) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);  // ends one that does not hear
    ::signal(SIGINT, SIG_DFL);
    Progress::catch_interrupts();
    Progress progress;
    ServerAddress patient;
    patient.url = url;
    patient.first_pause_s = patient.longest_pause_s = 600.0;
    patient.timeouts.whole_s = 600.0;
    try {
      call(patient, progress);
    } catch (const Cancelled&) {
      ::_exit(0);
    } catch (...) {
    }
    ::_exit(1);
  }
  interrupt(child);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(HttpClient, hears_ctrl_c_while_it_waits_for_an_answer) {
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  ::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  ::listen(listening, 1);
  const timeval limit{20, 0};  // for a child that never calls
  ::setsockopt(listening, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  socklen_t size = sizeof(address);
  ::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size);
  int connection = -1;
  const int code = interrupted_exit(
      [](const ServerAddress& patient, Progress& progress) {
        HttpClient(patient, progress).send({"GET", "/", {}, {}});
      },
      "127.0.0.1:" + std::to_string(ntohs(address.sin_port)),
      [&](pid_t child) {
        connection = ::accept(listening, nullptr, nullptr);
        char byte = 0;
        EXPECT_EQ(::recv(connection, &byte, 1, 0), 1);  // the child has sent its request
        ::kill(child, SIGINT);
      });
  EXPECT_EQ(code, 0);
  ::close(connection);
  ::close(listening);
}

struct InterruptingTransport final : Transport {
  TryOutcome exchange(const OutgoingRequest&) override {
    ::raise(SIGINT);
    return {{}, "lost", 1};
  }
};

TEST(HttpClient, hears_ctrl_c_between_tries) {
  const int code = interrupted_exit(
      [](const ServerAddress& patient, Progress& progress) {
        HttpClient(patient, progress, std::make_unique<InterruptingTransport>())
            .send({"GET", "/", {}, {}});
      },
      "host", [](pid_t) {});
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace tyto::client
