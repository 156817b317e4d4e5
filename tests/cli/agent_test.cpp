// SPDX-License-Identifier: Apache-2.0
// An evaluation from end to end: tests are made, served, and taken by an agent over the wire. What
// the agent says is what a run in one process says, whoever is killed on the way.
#include <chrono>
#include <functional>
#include <map>
#include <optional>

#include "support/places.hpp"
#include "support/program.hpp"
#include "support/served.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/files/files.hpp"
#include "tyto/core/random.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::Conditions;
using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::Served;
using testing_support::slurp;

using Arguments = std::vector<std::string>;
namespace fs = std::filesystem;

constexpr const char* kPredictor = "slda";

class AgentTest : public testing::Test {
 protected:
  // Digits: five are known, two more come after two of five rounds.
  void make(const std::string& protocol, int count = 2, const Arguments& more = {}) {
    Arguments words{"make-tests",
                    "--data",
                    "digits",
                    "--protocol",
                    protocol,
                    "--out",
                    tests().string(),
                    "--tests",
                    std::to_string(count),
                    "--known",
                    "5",
                    "--length",
                    "100",
                    "--before",
                    "40",
                    "--round",
                    "20",
                    "--novel-classes",
                    "2",
                    "--novel-share",
                    "0.7",
                    "--seed",
                    "4"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome made = run_program(words, in_source());
    ASSERT_EQ(made.code, 0) << made.err;
  }

  [[nodiscard]] fs::path tests() const { return scratch / "tests"; }

  static Conditions in_source() {
    Conditions conditions;
    conditions.folder = testing_support::in_tree("");
    return conditions;
  }

  [[nodiscard]] Arguments agent(const Served& server, const std::string& out,
                                const Arguments& more = {}) const {
    Arguments words = agent_of(server, out, {"--features", "digits"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // `material`: where it has its features from.
  [[nodiscard]] Arguments agent_of(const Served& server, const std::string& out,
                                   const Arguments& material) const {
    Arguments words{"agent",
                    "--server",
                    server.url(),
                    "--preset",
                    kPredictor,
                    "--set",
                    "alarm=martingale",
                    "--lists",
                    tests().string(),
                    "--out",
                    (scratch / out).string(),
                    "--threads",
                    "1",
                    "--quiet"};
    words.insert(words.end(), material.begin(), material.end());
    return words;
  }

  // The same tests in one process.
  void run_here(const std::string& protocol, const std::string& setting, const std::string& options,
                const std::string& out) {
    write_file(scratch / (out + ".yaml"),
               fmt::format("name: here\nprior_knowledge: none\ndata: digits\n"
                           "world: {{kind: rounds, tests: {}, protocol: {}, settings: [{}]}}\n"
                           "protocol: {}\n"
                           "predictors: [{{preset: {}, alarm: martingale}}]\n",
                           tests().string(), protocol, setting, options, kPredictor));
    const Outcome ran =
        run_program({"run", (scratch / (out + ".yaml")).string(), "--out", (scratch / out).string(),
                     "--threads", "1", "--quiet", "--no-report"},
                    in_source());
    ASSERT_EQ(ran.code, 0) << ran.err;
  }

  // What was posted, by test and type: the names of sessions differ.
  static std::map<std::string, std::string> posted(const fs::path& results,
                                                   const std::string& session) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(results)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_regular_file() && name.starts_with(session + ".") && name.ends_with(".csv")) {
        files[name.substr(session.size() + 1)] = slurp(entry.path());
      }
    }
    return files;
  }

  [[nodiscard]] std::string session_of(const std::string& out) const {
    return nlohmann::json::parse(slurp(scratch / out / "session.json")).at("session");
  }

  void expect_same_answers(const std::string& here, const std::string& there,
                           const std::string& setting) const {
    const StoredRecord local(RunFolder(scratch / here), kPredictor, {});
    const StoredRecord remote(RunFolder(scratch / there / "run"), kPredictor, {});
    ASSERT_EQ(local.phases(), remote.phases());
    EXPECT_EQ(local.phases().size(), 10U);
    for (const PhaseKey& key : local.phases()) {
      EXPECT_EQ(key.phase, setting);
      const Phase a = local.phase(key);
      const Phase b = remote.phase(key);
      EXPECT_EQ(a.sample, b.sample) << key.name();
      EXPECT_EQ(a.top, b.top) << key.name();
      EXPECT_EQ(a.top_probability, b.top_probability) << key.name();
      EXPECT_EQ(a.novelty, b.novelty) << key.name();
      EXPECT_EQ(a.changed, b.changed) << key.name();
      EXPECT_EQ(a.labels_granted, b.labels_granted) << key.name();
    }
  }

  Scratch scratch;
};

TEST_F(AgentTest, says_over_the_wire_what_a_run_in_one_process_says) {
  make("OND");
  const Served server(tests(), scratch / "results");
  for (const std::string setting : {"system", "given"}) {
    run_here("OND", setting, "{kind: ond, feedback: labels}", "here " + setting);
    Arguments more{"--feedback", "labels"};
    if (setting == "given") {
      more.push_back("--red-light");
    }
    const Outcome ran = run_program(agent(server, "there " + setting, more), in_source());
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("2 tests of OND taken"));
    expect_same_answers("here " + setting, "there " + setting, setting);
  }
}

TEST_F(AgentTest, takes_tests_of_discovery_too) {
  make("CONDDA");
  const Served server(tests(), scratch / "results");
  run_here("CONDDA", "system", "condda", "here");
  const Outcome ran = run_program(agent(server, "there", {"--protocol", "CONDDA"}), in_source());
  ASSERT_EQ(ran.code, 0) << ran.err;
  expect_same_answers("here", "there", "system");
  const auto files = posted(server.results(), session_of("there"));
  EXPECT_EQ(files.size(), 4U) << "detection and characterization of two tests";
}

TEST_F(AgentTest, takes_several_tests_side_by_side_with_the_same_answers) {
  make("OND");
  const Served server(tests(), scratch / "results");
  ASSERT_EQ(run_program(agent(server, "one"), in_source()).code, 0);
  const Outcome both = run_program(agent(server, "two", {"--jobs", "2"}), in_source());
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(posted(server.results(), session_of("two")),
            posted(server.results(), session_of("one")));
}

// Fires some milliseconds after a number has grown so far: at any moment of what it counts, however
// fast the machine is.
class Trigger {
 public:
  Trigger(std::function<Index()> count, Index more, Index delay_ms)
      : count_(std::move(count)), enough_(count_() + more), delay_(delay_ms) {}

  bool operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (!reached_ && count_() >= enough_) {
      reached_ = now;
    }
    return reached_ && now - *reached_ >= delay_;
  }

 private:
  std::function<Index()> count_;
  Index enough_;
  std::chrono::milliseconds delay_;
  std::optional<std::chrono::steady_clock::time_point> reached_;
};

Index files_below(const fs::path& folder) {
  std::error_code none;
  Index count = 0;
  for (auto at = fs::recursive_directory_iterator(folder, none);
       !none && at != fs::recursive_directory_iterator(); at.increment(none)) {
    ++count;
  }
  return count;
}

TEST_F(AgentTest, goes_on_after_it_was_killed_at_any_moment) {
  make("OND", 5);
  const Served server(tests(), scratch / "results");
  const Arguments feedback{"--feedback", "labels", "--red-light"};
  ASSERT_EQ(run_program(agent(server, "whole", feedback), in_source()).code, 0);
  const auto whole = posted(server.results(), session_of("whole"));
  ASSERT_EQ(whole.size(), 10U);
  constexpr Index kLives = 10;
  Rng rng(11, "kills");
  Index killed = 0;
  Outcome last;
  for (Index life = 0; life < 4 * kLives; ++life) {
    Conditions conditions = in_source();
    const auto written = [&] { return files_below(scratch / "cut"); };
    auto trigger = std::make_shared<Trigger>(written, rng.below(4), rng.below(10));
    if (killed < kLives) {
      conditions.kill_when = [trigger] { return (*trigger)(); };
    }
    last = run_program(agent(server, "cut", feedback), conditions);
    if (last.code == 0) {
      break;
    }
    ASSERT_EQ(last.code, -SIGKILL) << last.err;
    ++killed;
  }
  EXPECT_EQ(last.code, 0) << last.err;
  EXPECT_GE(killed, kLives / 2) << "too few to tell";
  EXPECT_EQ(posted(server.results(), session_of("cut")), whole);
}

TEST_F(AgentTest, waits_for_a_server_that_was_killed_and_started_again) {
  make("OND", 5);
  Served server(tests(), scratch / "results");
  const Arguments feedback{"--feedback", "labels", "--red-light"};
  ASSERT_EQ(run_program(agent(server, "whole", feedback), in_source()).code, 0);
  const auto whole = posted(server.results(), session_of("whole"));
  constexpr Index kKills = 10;
  Rng rng(12, "kills");
  Conditions conditions = in_source();
  Index killed = 0;
  const auto written = [&] { return files_below(scratch / "there"); };
  auto trigger = std::make_unique<Trigger>(written, 1, 0);
  conditions.kill_when = [&] {
    if (killed < kKills && (*trigger)()) {
      server.kill_and_start_again();
      ++killed;
      trigger = std::make_unique<Trigger>(written, 1 + rng.below(2), rng.below(8));
    }
    return false;
  };
  const Outcome ran = run_program(agent(server, "there", feedback), conditions);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_GE(killed, kKills / 2) << "too few to tell";
  EXPECT_EQ(posted(server.results(), session_of("there")), whole);
}

TEST_F(AgentTest, begins_with_what_was_learned_elsewhere) {
  make("OND", 1, {"--features"});
  write_file(scratch / "learn.yaml",
             fmt::format("name: learn\nprior_knowledge: none\ndata: {}\n"
                         "world: {{kind: increments, increments: 0}}\n"
                         "predictors: [{{preset: {}, alarm: martingale}}]\n",
                         (tests() / "train").string(), kPredictor));
  const Outcome learned = run_program({"run", (scratch / "learn.yaml").string(), "--out",
                                       (scratch / "learned").string(), "--quiet", "--no-report"},
                                      in_source());
  ASSERT_EQ(learned.code, 0) << learned.err;
  const Served server(tests(), scratch / "results");
  const auto take = [&](const std::string& out, const Arguments& how) {
    Arguments words{"agent",
                    "--server",
                    server.url(),
                    "--features",
                    (tests() / "features").string(),
                    "--out",
                    (scratch / out).string(),
                    "--quiet"};
    words.insert(words.end(), how.begin(), how.end());
    const Outcome ran = run_program(words, in_source());
    ASSERT_EQ(ran.code, 0) << ran.err;
  };
  take("loaded", {"--model", (scratch / "learned").string(), "--lists", tests().string()});
  const auto files = posted(server.results(), session_of("loaded"));
  ASSERT_EQ(files.size(), 2U);
  // Columns stand in the order of the tests whatever the order of learning was: the samples before
  // the change are mostly right by the numbers of train.csv.
  const Outcome scored = run_program(
      {"measure", "--sail-on", server.results().string(), "--data", tests().string(), "--json"},
      in_source());
  ASSERT_EQ(scored.code, 0) << scored.err;
  EXPECT_THAT(scored.out, HasSubstr("accuracy_before_change"));
  take("trained", {"--preset", kPredictor, "--set", "alarm=martingale", "--train",
                   (tests() / "train").string()});
  EXPECT_EQ(posted(server.results(), session_of("trained")).size(), 2U);
}

// Pictures of a colour each; what is known of them beforehand is nothing but the files.
TEST_F(AgentTest, makes_the_features_of_pictures_itself) {
  const fs::path network =
      testing_support::in_tree("/../shared/data/backbone/mobilenetv2_coco_backbone.onnx");
  if (!fs::exists(network)) {
    GTEST_SKIP() << network << " is not there: no network to make features with";
  }
  for (const std::string colour : {"red", "green", "blue", "gray", "orange", "purple"}) {
    fs::create_directories(scratch / "pictures" / colour);
    const std::string made = fmt::format(
        "ffmpeg -nostdin -v error -f lavfi -i 'color=c={}:s=32x32:r=25,noise=alls=60:allf=t' "
        "-frames:v 14 '{}/%02d.png'",
        colour, (scratch / "pictures" / colour).string());
    ASSERT_EQ(std::system(made.c_str()), 0) << made;
    for (int i = 1; i <= 14; ++i) {  // a folder of numbered pictures would be a video
      const fs::path folder = scratch / "pictures" / colour;
      fs::rename(folder / fmt::format("{:02}.png", i),
                 folder / fmt::format("{}.png", static_cast<char>('a' + i)));
    }
  }
  const std::string recipe = (scratch / "network.yaml").string();
  write_file(recipe, fmt::format("network: {}\nrecipe: {{height: 64, width: 64, crop_height: 0, "
                                 "crop_width: 0, fit: stretch, sampling: uniform, clips: 1}}\n",
                                 network.string()));
  const std::string features = (scratch / "features").string();
  const std::string pictures = (scratch / "pictures").string();
  const auto succeeds = [&](const Arguments& words) {
    const Outcome ran = run_program(words, in_source());
    ASSERT_EQ(ran.code, 0) << ran.err;
  };
  succeeds({"extract", pictures, "--backbone", recipe, "--out", features, "--quiet"});
  succeeds({"make-tests",
            "--data",
            features,
            "--out",
            tests().string(),
            "--tests",
            "1",
            "--known",
            "3",
            "--length",
            "20",
            "--before",
            "10",
            "--round",
            "5",
            "--novel-classes",
            "2",
            "--novel-share",
            "0.5",
            "--seed",
            "4",
            "--protocol",
            "OND"});
  const Served server(tests(), scratch / "results");
  const auto take = [&](const std::string& out, const Arguments& how) {
    succeeds(agent_of(server, out, how));
    return posted(server.results(), session_of(out));
  };
  const auto given = take("given", {"--features", features});
  ASSERT_FALSE(given.empty());
  EXPECT_EQ(take("own", {"--media", pictures, "--backbone", recipe}), given);
  const Outcome neither = run_program(
      {"agent", "--server", server.url(), "--media", pictures, "--out", features}, in_source());
  EXPECT_NE(neither.code, 0);
  EXPECT_THAT(neither.err, HasSubstr("--media FOLDER and --backbone"));
}

TEST_F(AgentTest, may_be_written_in_python) {
  make("OND", 1, {"--features"});
  const Served server(tests(), scratch / "results");
  const std::string out = (scratch / "said").string();
  const std::string command = fmt::format(
      "python3 {} {} {} > {} 2>&1", testing_support::in_tree("/docs/examples/python_agent.py"),
      server.url(), tests().string(), out);
  EXPECT_EQ(std::system(command.c_str()), 0) << slurp(out);
  EXPECT_THAT(slurp(out), HasSubstr("top-1 before"));
  EXPECT_THAT(slurp(out), HasSubstr("session "));
}

TEST_F(AgentTest, says_what_is_wrong) {
  make("OND");
  const Served server(tests(), scratch / "results");
  const auto refused = [&](const Arguments& more, const std::string& sentence) {
    const Outcome ran = run_program(agent(server, "bad", more), in_source());
    EXPECT_NE(ran.code, 0);
    EXPECT_THAT(ran.err, HasSubstr(sentence));
    fs::remove_all(scratch / "bad");
  };
  refused({"--tests", "OND.9.9.9"}, "OND.9.9.9");
  refused({"--domain", "holidays"}, "holidays");
  refused({"--protocol", "CONDDA"}, "CONDDA");
  refused({"--feedback", "praise"}, "praise");
  Arguments elsewhere = agent(server, "bad");
  elsewhere[2] = "http://127.0.0.1:1";
  const Outcome nobody = run_program(elsewhere, in_source());
  EXPECT_EQ(nobody.code, 1);
  EXPECT_THAT(nobody.err, HasSubstr("127.0.0.1:1"));
}

}  // namespace
}  // namespace tyto
