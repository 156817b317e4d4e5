// SPDX-License-Identifier: Apache-2.0
// Both ends of the wire: our client against `tyto serve`, which is killed and started again.
#include <functional>
#include <memory>
#include <thread>

#include "support/places.hpp"
#include "support/served.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/client/remote_evaluator.hpp"
#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/error.hpp"
#include "tyto/sail_on/refused.hpp"

namespace tyto::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::Scratch;
using testing_support::Served;
using testing_support::slurp;

const std::filesystem::path kTests = testing_support::in_tree("/../shared/data/sail_on_wire/data");

std::unique_ptr<sail_on::Evaluator> connected(const std::string& url, Progress& progress) {
  ServerAddress address;
  address.url = url;
  address.tries = 100;  // of at most a tenth of a second: a server starts anew in far less
  address.longest_pause_s = 0.1;
  return connect(address, progress);
}

std::string rows_of(const std::vector<std::string>& ids, const std::string& numbers) {
  std::string rows;
  for (const std::string& id : ids) {
    rows += csv_field(id) + "," + numbers + "\n";
  }
  return rows;
}

std::vector<sail_on::ResultFile> results_of(const std::vector<std::string>& ids) {
  return {{"detection", rows_of(ids, "0.75")},
          {"classification", rows_of(ids, "0.125,0.25,0.125,0.25,0.125,0.125")}};
}

sail_on::SessionRequest session_of(const std::string& test) {
  sail_on::SessionRequest request;
  request.domain = "image_classification";
  request.detector = "Owl-1";
  request.hints = {"red_light"};
  request.test_ids = {test};
  return request;
}

std::string refused_with(const std::function<void()>& call) {
  try {
    call();
  } catch (const sail_on::Refused& no) {
    return no.reason();
  }
  return "";
}

TEST(Serve, runs_a_whole_test_with_ids_of_every_kind) {
  if (!std::filesystem::exists(kTests)) {
    GTEST_SKIP() << kTests << " is not at hand";
  }
  const Scratch scratch;
  const Served server(kTests, scratch / "results");
  Progress progress;
  const auto agent = connected(server.url(), progress);
  const std::string test = "OND.1.1.2012";
  EXPECT_THAT(agent->test_ids("OND", "image_classification"), testing::Contains(test));
  const std::string session = agent->begin_session(session_of(test));
  const sail_on::TestBrief brief = agent->brief(session, test);
  EXPECT_EQ(brief.round_size, 4);
  EXPECT_FALSE(brief.red_light.empty());
  std::vector<std::string> all;
  Index round = 0;
  for (; const auto ids = agent->round(session, test, round); ++round) {
    agent->post(session, test, round, results_of(*ids));
    agent->post(session, test, round, results_of(*ids));  // equal: nothing changes
    EXPECT_THAT(agent->feedback(session, test, round, "classification", *ids),
                testing::Not(IsEmpty()));
    all.insert(all.end(), ids->begin(), ids->end());
  }
  EXPECT_EQ(round, 2);
  EXPECT_THAT(all, ElementsAre("plain.jpg", " leading.jpg", "\"quoted.jpg\"", "with,comma.jpg",
                               "m\xC3\xBCll-\xC3\xA4.jpg", "a'b.jpg", "sub dir/x y.jpg"));
  EXPECT_THAT(agent->completed(session), IsEmpty());
  agent->complete(session, test);
  EXPECT_THAT(agent->completed(session), ElementsAre(test));
  EXPECT_EQ(refused_with([&] { agent->round(session, test, 1); }), "TestCompleted");
  EXPECT_EQ(refused_with([&] { agent->complete(session, test); }), "TestCompleted");
  agent->end_session(session);
  EXPECT_EQ(refused_with([&] { agent->brief(session, test); }), "SessionEnded");
  const auto posted =
      server.results() / "OND" / "image_classification" / (session + "." + test + "_detection.csv");
  EXPECT_EQ(slurp(posted), results_of(all)[0].rows);
}

TEST(Serve, other_rows_for_a_round_are_refused_by_whoever_posted_the_first) {
  if (!std::filesystem::exists(kTests)) {
    GTEST_SKIP() << kTests << " is not at hand";
  }
  const Scratch scratch;
  const Served server(kTests, scratch / "results");
  Progress progress;
  const auto agent = connected(server.url(), progress);
  const std::string test = "OND.1.1.2020";
  const std::string session = agent->begin_session(session_of(test));
  const auto ids = agent->round(session, test, 0);
  agent->post(session, test, 0, results_of(*ids));
  auto others = results_of(*ids);
  others[0].rows = rows_of(*ids, "0.5");
  EXPECT_EQ(refused_with([&] { agent->post(session, test, 0, others); }), "DetectionRepost");
}

TEST(Serve, is_found_again_after_it_was_killed_and_nothing_is_doubled) {
  if (!std::filesystem::exists(kTests)) {
    GTEST_SKIP() << kTests << " is not at hand";
  }
  const Scratch scratch;
  Served server(kTests, scratch / "results");
  const std::string url = server.url();
  Progress progress;
  auto agent = connected(url, progress);
  const std::string test = "OND.1.1.2020";
  const std::string session = agent->begin_session(session_of(test));
  std::vector<std::string> all;
  for (Index round = 0; round < 3; ++round) {
    const auto ids = agent->round(session, test, round);
    ASSERT_TRUE(ids);
    agent->post(session, test, round, results_of(*ids));
    all.insert(all.end(), ids->begin(), ids->end());
    {
      const std::jthread away([&] { server.kill_and_start_again(); });
      agent->post(session, test, round, results_of(*ids));  // tried until it is there again
    }
    ASSERT_EQ(server.url(), url);
    agent = connected(url, progress);  // as after a resume
    agent->post(session, test, round, results_of(*ids));
  }
  EXPECT_EQ(agent->round(session, test, 3), std::nullopt);
  agent->complete(session, test);
  agent->end_session(session);
  for (const std::size_t type : {0, 1}) {
    const std::string name = type == 0 ? "_detection.csv" : "_classification.csv";
    EXPECT_EQ(
        slurp(server.results() / "OND" / "image_classification" / (session + "." + test + name)),
        results_of(all)[type].rows);
  }
}

}  // namespace
}  // namespace tyto::client
