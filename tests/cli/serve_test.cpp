// SPDX-License-Identifier: Apache-2.0
// tyto serve as a program: the recorded traffic of the public server, and being killed.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/evaluation_folder.hpp"
#include "support/http_client.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::Client;
using testing_support::EvaluationFolder;
using testing_support::new_session;
using testing_support::raw_request;
using testing_support::results;
using testing_support::run_program;
using testing_support::slurp;

// The program in a process of its own; its first line tells the port.
class ServeProcess {
 public:
  explicit ServeProcess(const EvaluationFolder& folder) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(ends[1], 1);
      ::close(ends[0]);
      for (const int signal : {SIGINT, SIGTERM}) {
        ::signal(signal, SIG_DFL);
      }
      ::execl(testing_support::built_program(), testing_support::built_program(), "serve",
              "--listen", "127.0.0.1:0", "--data", folder.data().c_str(), "--results",
              folder.results().c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    std::string line;
    for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\n';) {
      line += c;
    }
    ::close(ends[0]);
    const auto colon = line.rfind(':');
    port_ =
        colon == line.npos ? 0 : static_cast<std::uint16_t>(std::atoi(line.c_str() + colon + 1));
  }

  ~ServeProcess() { end(SIGKILL); }

  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

  void kill_now() const { ::kill(child_, SIGKILL); }

  int end(int signal) {  // exit code, -signal if killed
    if (child_ > 0) {
      ::kill(child_, signal);
      int status = 0;
      ::waitpid(child_, &status, 0);
      child_ = 0;
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    return code_;
  }

 private:
  pid_t child_ = 0;
  std::uint16_t port_ = 0;
  int code_ = 0;
};

std::string talk(std::uint16_t port, const WireRequest& request) {
  const Client client(port);
  client.send(raw_request(request));
  return client.rest();
}

TEST(Serve, answers_as_the_public_server_does) {
  const std::filesystem::path wire = testing_support::in_tree("/../shared/data/sail_on_wire");
  if (!std::filesystem::exists(wire / "replay.py")) {
    GTEST_SKIP() << wire << ", the recorded traffic, is not here";
  }
  const testing_support::Scratch scratch;
  const EvaluationFolder folder;
  std::uint16_t port = 0;
  {
    const ServeProcess any(folder);  // a port that is free
    port = any.port();
  }
  const std::string command =
      "python3 '" + (wire / "replay.py").string() + "' --port " + std::to_string(port) +
      " --cmd '" + testing_support::built_program() +
      " serve --listen {host}:{port} --data {data} --results {results}' > '" +
      (scratch / "out").string() + "' 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << slurp(scratch / "out");
  EXPECT_THAT(slurp(scratch / "out"), HasSubstr("EQUAL"));
}

TEST(Serve, ends_cleanly_when_asked_to) {
  const EvaluationFolder folder;
  for (const int signal : {SIGTERM, SIGINT}) {
    ServeProcess program(folder);
    ASSERT_NE(program.port(), 0);
    EXPECT_THAT(talk(program.port(), new_session()), HasSubstr("session_id"));
    EXPECT_EQ(program.end(signal), 0);
    EXPECT_FALSE(std::filesystem::exists(folder.results() / ".tyto" / "journal-0"));
  }
}

TEST(Serve, says_what_it_cannot_have) {
  const EvaluationFolder folder;
  const auto results_folder = folder.results().string();
  const auto none = run_program(
      {"serve", "--listen", "127.0.0.1:0", "--data", "/no/such", "--results", results_folder});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("/no/such: there is no such folder of tests"));
  const auto words = run_program({"serve", "--listen", "nowhere", "--data", folder.data().string(),
                                  "--results", results_folder});
  EXPECT_EQ(words.code, 2);
  EXPECT_THAT(words.err, HasSubstr("--listen takes host:port"));
  const ServeProcess first(folder);
  const auto taken =
      run_program({"serve", "--listen", "127.0.0.1:" + std::to_string(first.port()), "--data",
                   folder.data().string(), "--results", (folder.data() / ".." / "other").string()});
  EXPECT_EQ(taken.code, 1);
  EXPECT_THAT(taken.err, HasSubstr("cannot be had"));
}

// An agent posts round after round and repeats what was not answered; the server is killed at some
// moment of it and started again, ten times. In the end every row is there once and in order, every
// round in the state, and at no restart anything half-written.
TEST(Serve, loses_and_doubles_nothing_when_killed) {
  const EvaluationFolder folder;
  constexpr int kKills = 10;
  constexpr int kRounds = 400;
  std::mt19937 random(20261117);
  auto program = std::make_unique<ServeProcess>(folder);
  const auto answer = talk(program->port(), new_session());
  const auto session = answer.substr(answer.find("session_id\":\"") + 13, 36);
  const std::string test = "OND.1.1.1";
  const auto row = [](int round) { return "a,0." + std::to_string(10'000 + round) + "\n"; };
  int kills = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto post =
        results(session, test, round, {{"detection", row(round)}, {"classification", row(round)}});
    std::thread killer;
    if (kills < kKills && round % (kRounds / kKills) == kRounds / kKills / 2) {
      ++kills;
      const auto wait = std::chrono::microseconds(random() % 12'000);  // of a post's time
      killer = std::thread([&program, wait] {
        std::this_thread::sleep_for(wait);
        program->kill_now();
      });
    }
    while (!talk(program->port(), post).starts_with("HTTP/1.1 200")) {
      if (killer.joinable()) {
        killer.join();
      }
      program = std::make_unique<ServeProcess>(folder);
      ASSERT_NE(program->port(), 0) << "after kill " << kills;
      const auto state = slurp(folder.results() / (session + "." + test + ".json"));
      ASSERT_TRUE(state.empty() || nlohmann::json::accept(state)) << state;
    }
    if (killer.joinable()) {
      killer.join();
      program = std::make_unique<ServeProcess>(folder);
    }
  }
  EXPECT_EQ(kills, kKills);
  std::string all;
  for (int round = 0; round < kRounds; ++round) {
    all += row(round);
  }
  for (const auto* type : {"detection", "classification"}) {
    EXPECT_EQ(slurp(folder.results() / "OND/image_classification" /
                    (session + "." + test + "_" + type + ".csv")),
              all);
  }
  const auto state =
      nlohmann::json::parse(slurp(folder.results() / (session + "." + test + ".json")));
  EXPECT_EQ(state["post_results"]["rounds"].size(), std::size_t{kRounds});
}

}  // namespace
}  // namespace tyto
