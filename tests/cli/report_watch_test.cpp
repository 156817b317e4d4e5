// SPDX-License-Identifier: Apache-2.0
// tyto report --watch, as a user runs it and a browser meets it.
#include "cli/report_extras.hpp"
#include "support/http_client.hpp"
#include "support/page_reader.hpp"
#include "support/places.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::fetch;
using testing_support::Outcome;
using testing_support::read_page;
using testing_support::ReportExtras;
using testing_support::run_program;
using testing_support::slurp;
using testing_support::tag_in;

std::string body_of(const std::string& answer) {
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

TEST_F(ReportExtras, follow_a_run_until_it_is_done_and_end_by_an_interrupt) {
  run_into("one");
  set_done("one", false);
  int stage = 0;
  std::string first_tag;
  const auto look = [&] {
    const std::uint16_t port = port_in("out.txt");
    if (port == 0) {
      return false;
    }
    if (stage == 0) {
      const std::string page = body_of(fetch(port, "/"));
      EXPECT_EQ(read_page(page).at("live"), true);
      EXPECT_EQ(read_page(page).at("runs")[0].at("done"), false);
      const std::string data = fetch(port, "/data");
      first_tag = tag_in(data);
      EXPECT_EQ(testing_support::unpack_gzip(body_of(data)),
                testing_support::unpack_gzip(testing_support::page_bytes(page)));
      EXPECT_THAT(fetch(port, "/data", "If-None-Match: " + first_tag + "\r\n"),
                  StartsWith("HTTP/1.1 304"));
      set_done("one", true);
      stage = 1;
      return false;
    }
    const std::string data = fetch(port, "/data", "If-None-Match: " + first_tag + "\r\n");
    if (data.starts_with("HTTP/1.1 304")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return false;
    }
    if (slurp(scratch / "out.txt").find("is done") == std::string::npos) {
      return false;
    }
    const auto page = nlohmann::json::parse(testing_support::unpack_gzip(body_of(data)));
    EXPECT_EQ(page.at("runs")[0].at("done"), true);
    stage = 2;
    return true;
  };
  const Outcome outcome =
      run_program({"report", "one", "--watch", "--data", testing_support::in_tree("/datasets")},
                  {scratch.path(), look, RLIM_INFINITY, (scratch / "out.txt").string(), SIGINT});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(stage, 2);
  const std::string said = slurp(scratch / "out.txt");
  EXPECT_THAT(said, StartsWith("watching one at http://127.0.0.1:"));
  EXPECT_THAT(said, HasSubstr("one is done; the page is served on until Ctrl-C\n"));
  EXPECT_THAT(said, HasSubstr("stopped watching\n"));
}

TEST_F(ReportExtras, answer_wrong_use_of_watch_with_a_sentence) {
  const Outcome none = report({"nowhere", "--watch"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("nowhere: there is no such folder"));
  EXPECT_EQ(report({"nowhere", "--port", "80"}).code, 2);
  EXPECT_EQ(report({"nowhere", "--watch", "--csv"}).code, 2);
  run_into("one");
  const int taken = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  socklen_t size = sizeof(address);
  ASSERT_EQ(::bind(taken, reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(taken, 1), 0);
  ASSERT_EQ(::getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const Outcome outcome = report({"one", "--watch", "--port", port});
  ::close(taken);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("port " + port + " of 127.0.0.1 cannot be had"));
}

}  // namespace
}  // namespace tyto
