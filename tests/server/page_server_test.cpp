// SPDX-License-Identifier: Apache-2.0
// The server as a browser meets it: bytes through a plain socket.
#include "tyto/server/page_server.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "support/http_client.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::Client;
using testing_support::fetch;
using testing_support::tag_in;

TEST(PageServer, gives_the_page_and_the_data) {
  const std::string data("\x1f\x8b\0gz", 5);
  const PageServer server("<p>page</p>", data, 0);
  EXPECT_NE(server.port(), 0);
  EXPECT_EQ(server.url(), "http://127.0.0.1:" + std::to_string(server.port()) + "/");
  const std::string page = fetch(server.port(), "/");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(page, HasSubstr("Content-Type: text/html; charset=utf-8\r\n"));
  EXPECT_THAT(page, EndsWith("\r\n\r\n<p>page</p>"));
  const std::string raw = fetch(server.port(), "/data?again", "", "localhost:9000");
  EXPECT_THAT(raw, HasSubstr("Content-Type: application/octet-stream\r\n"));
  EXPECT_THAT(raw, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_THAT(raw, EndsWith("\r\n\r\n" + data));
}

TEST(PageServer, answers_304_until_the_data_change) {
  PageServer server("page", "old", 0);
  const std::string tag = tag_in(fetch(server.port(), "/data"));
  ASSERT_EQ(tag.size(), 18u);  // 16 hex digits in quotes
  const std::string known = "If-None-Match: W/\"other\", " + tag + "\r\n";
  const std::string same = fetch(server.port(), "/data", known);
  EXPECT_THAT(same, StartsWith("HTTP/1.1 304 Not Modified\r\n"));
  EXPECT_THAT(same, EndsWith("\r\n\r\n"));
  server.publish("newer page", "new");
  const std::string newer = fetch(server.port(), "/data", known);
  EXPECT_THAT(newer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(newer, EndsWith("\r\n\r\nnew"));
  EXPECT_NE(tag_in(newer), tag);
  EXPECT_THAT(fetch(server.port(), "/"), EndsWith("\r\n\r\nnewer page"));
}

TEST(PageServer, refuses_what_it_does_not_have) {
  const PageServer server("page", "data", 0);
  EXPECT_THAT(fetch(server.port(), "/etc/passwd"), StartsWith("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(fetch(server.port(), "/data/.."), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(fetch(server.port(), "/", "", "127.0.0.1", "DELETE"), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(fetch(server.port(), "/data", "", "evil.example"), StartsWith("HTTP/1.1 403"));
}

TEST(PageServer, survives_what_is_not_http) {
  const PageServer server("page", "data", 0);
  const Client rude(server.port());
  rude.send(std::string("\x16\x03\x01\0\xff hello\r\n\r\n", 16));
  EXPECT_EQ(rude.rest().find("page"), std::string::npos);  // and the connection has ended
  const Client silent(server.port());                      // says nothing at all
  const Client slow(server.port());
  slow.send("GET / HT");  // and no more
  EXPECT_THAT(fetch(server.port(), "/" + std::string(5000, 'x')),
              testing::Not(HasSubstr("200 OK")));
  EXPECT_THAT(fetch(server.port(), "/"), EndsWith("page"));
}

TEST(PageServer, serves_several_at_once_while_data_are_published) {
  PageServer server("page", std::string(100'000, '0'), 0);
  std::atomic<int> whole = 0;
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        const std::string answer = fetch(server.port(), "/data");
        const std::string body = answer.substr(answer.find("\r\n\r\n") + 4);
        // Every byte of one publication, never of two.
        whole += body.size() == 100'000 && body.find_first_not_of(body[0]) == body.npos;
      }
    });
  }
  for (int i = 1; i < 10; ++i) {
    server.publish("page", std::string(100'000, static_cast<char>('0' + i)));
  }
  for (std::thread& reader : readers) {
    reader.join();
  }
  EXPECT_EQ(whole, 30);
}

TEST(PageServer, says_that_a_port_is_taken_and_frees_its_own) {
  std::uint16_t port = 0;
  {
    const PageServer server("page", "data", 0);
    port = server.port();
    try {
      const PageServer second("page", "data", port);
      ADD_FAILURE() << "two on one port";
    } catch (const Error& problem) {
      EXPECT_EQ(problem.kind(), ErrorKind::io);
      EXPECT_THAT(problem.what(), HasSubstr("port " + std::to_string(port) + " of 127.0.0.1"));
    }
  }
  EXPECT_FALSE(Client(port).connected());
}

}  // namespace
}  // namespace tyto
