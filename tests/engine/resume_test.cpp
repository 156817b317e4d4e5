// SPDX-License-Identifier: Apache-2.0
// A run that is killed and resumed ends with the bytes of one that was left alone.
#include <chrono>
#include <map>

#include "support/places.hpp"
#include "support/program.hpp"
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using testing_support::Conditions;
using testing_support::run_program;
using testing_support::Scratch;

// All files of a run but times.csv, which tells how long it took, and the report, which shows it.
std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const auto name = entry.path().lexically_relative(folder).string();
    const auto file = entry.path().filename();
    // What differs from run to run: seconds, and what went wrong on the way.
    if (entry.is_regular_file() && file != "times.csv" && file != "report.html" &&
        file != "warnings.txt") {
      files[name] = testing_support::slurp(entry.path());
    }
  }
  return files;
}

void expect_same_files(const std::map<std::string, std::string>& actual,
                       const std::map<std::string, std::string>& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  for (const auto& [name, bytes] : expected) {
    EXPECT_TRUE(actual.contains(name) && actual.at(name) == bytes) << name << " differs";
  }
}

// Every preset, a global budget, batches, late and wrong labels, several seeds, a search.
constexpr const char* kExperiment =
    "name: small\nseeds: [3, 4]\nprior_knowledge: none\ndata: digits\n"
    "world: {kind: increments, start: {classes: 5}, increments: 2, split: {test: 0.3, validate: "
    "0.1}}\n"
    "protocol: {kind: owl, batch: 150, delay: 1, noise: 0.1}\n"
    "search: {method: grid, trials: 3, options: {ncm: {accepted_error: [0.05, 0.2]}}}\n"
    "record: {states: true}\n"
    "feedback: [0.5]\nfeedback_total: [40]\n"
    "predictors: [{preset: ann, classifier: {steps_at_least: 30}}, slda, ncm, always_unknown,"
    " {name: knn, classifier: {name: ridge, projection: 50}, detector: knn, feedback: margin,"
    " memory: {name: class_balanced, budget: 100}}]\n";

class ResumeTest : public testing::Test {
 protected:
  ResumeTest() { write_file(scratch / "small.yaml", kExperiment); }

  testing_support::Outcome run(std::vector<std::string> more, std::function<bool()> kill_when = {},
                               rlim_t largest_file = RLIM_INFINITY) {
    // The report comes after everything that is resumed.
    std::vector<std::string> all{"run",     "small.yaml",
                                 "--quiet", "--no-report",
                                 "--data",  testing_support::in_tree("/datasets")};
    all.insert(all.end(), more.begin(), more.end());
    return run_program(all, {scratch.path(), std::move(kill_when), largest_file, ""});
  }

  Scratch scratch;
};

TEST_F(ResumeTest, a_killed_run_ends_with_the_same_bytes) {
  using Clock = std::chrono::steady_clock;
  constexpr int kKills = 20;
  Rng rng(17);
  int killed = 0;
  for (const std::string threads : {"2", "1"}) {
    const auto start = Clock::now();
    const auto whole = run({"--out", "whole" + threads, "--threads", threads});
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    ASSERT_EQ(whole.code, 0) << whole.err;
    const auto expected = contents(scratch / ("whole" + threads));
    ASSERT_TRUE(expected.contains("spread.csv") && expected.contains("seed-4/search.csv"));
    for (int round = 0; killed < (threads == "2" ? kKills / 2 : kKills); ++round) {
      const std::string out = "cut" + threads + std::to_string(round);
      int code = -1;
      double more = 0;  // what is read and measured again at the end must fit into a life
      for (; code != 0; more += seconds / 10) {
        const bool begun = std::filesystem::exists(scratch / (out + "/run.json"));
        const auto born = Clock::now();
        const double life = rng.uniform() * seconds / 2 + more;
        const auto outcome =
            run({"--out", out, "--threads", threads, begun ? "--resume" : "--force"},
                [&] { return std::chrono::duration<double>(Clock::now() - born).count() > life; });
        code = outcome.code;
        ASSERT_TRUE(code == 0 || code == -SIGKILL) << outcome.err;
        killed += code == -SIGKILL ? 1 : 0;
      }
      expect_same_files(contents(scratch / out), expected);
    }
  }
  EXPECT_GE(killed, kKills);
}

TEST_F(ResumeTest, a_run_that_is_asked_to_stop_says_so_and_goes_on_later) {
  const std::vector<std::string> few{"run",     "small.yaml",
                                     "--quiet", "--no-report",
                                     "--data",  testing_support::in_tree("/datasets"),
                                     "--set",   "predictors=[ncm, slda]"};
  const auto with = [&](std::vector<std::string> more, Conditions conditions) {
    more.insert(more.begin(), few.begin(), few.end());
    conditions.folder = scratch.path();
    return run_program(more, conditions);
  };
  ASSERT_EQ(with({"--out", "whole"}, {}).code, 0);
  const auto expected = contents(scratch / "whole");
  for (const auto& [signal, name] :
       {std::pair(SIGINT, "Ctrl-C"), {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}}) {
    const std::string out = std::string("cut") + name;
    Conditions stopped;
    stopped.kill_when = [&] { return std::filesystem::exists(scratch / (out + "/run.json")); };
    stopped.kill_by = signal;
    const auto outcome = with({"--out", out}, stopped);
    EXPECT_EQ(outcome.code, 128 + signal) << outcome.err;
    EXPECT_EQ(outcome.err, std::string("tyto: stopped by ") + name +
                               "; what was committed is kept, --resume continues it\n");
    EXPECT_EQ(with({"--out", out, "--resume"}, {}).code, 0);
    expect_same_files(contents(scratch / out), expected);
  }
  Conditions left_alone;  // nohup tyto run ...
  left_alone.kill_when = [&] { return std::filesystem::exists(scratch / "on/run.json"); };
  left_alone.kill_by = SIGHUP;
  left_alone.ignores_hangups = true;
  EXPECT_EQ(with({"--out", "on"}, left_alone).code, 0);
  expect_same_files(contents(scratch / "on"), expected);
}

TEST_F(ResumeTest, a_run_killed_before_it_was_one_starts_from_the_beginning) {
  for (const std::string seeds : {"seeds=[3, 4]", "seeds=[]"}) {
    const std::string whole = seeds == "seeds=[]" ? "whole_one" : "whole_two";
    const std::vector<std::string> few{"--set", "predictors=[ncm]", "--set", seeds};
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.end(), few.begin(), few.end());
      return run(more);
    };
    ASSERT_EQ(with({"--out", whole}).code, 0);
    const std::string cut = "cut_" + whole;
    std::filesystem::create_directories(scratch / (cut + "/seed-3/checkpoints"));
    write_file(scratch / (cut + "/experiment.yaml"), "name: of the run before\n");
    write_file(scratch / (cut + "/seed-3/manifest.csv"), "half");
    if (seeds == "seeds=[]") {
      std::filesystem::remove_all(scratch / (cut + "/seed-3"));
    }
    const auto outcome = with({"--out", cut, "--resume"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err,
              "tyto: " + cut + ": no run has begun there; starting from the beginning\n");
    expect_same_files(contents(scratch / cut), contents(scratch / whole));
  }
}

TEST_F(ResumeTest, a_damaged_checkpoint_costs_one_commit) {
  const std::vector<std::string> few{"--set", "predictors=[ncm, slda]", "--set", "seeds=[3]"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), few.begin(), few.end());
    return run(more);
  };
  ASSERT_EQ(with({"--out", "whole"}).code, 0);
  const auto expected = contents(scratch / "whole");
  std::filesystem::copy(scratch / "whole", scratch / "cut",
                        std::filesystem::copy_options::recursive);
  const auto file = scratch / "cut/checkpoints/slda-50pct.npz";
  std::filesystem::resize_file(file, 100);
  const auto outcome = with({"--out", "cut", "--resume"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("going on from the commit before it"), std::string::npos)
      << outcome.err;
  expect_same_files(contents(scratch / "cut"), expected);
}

TEST_F(ResumeTest, a_full_disk_in_the_middle_loses_nothing) {
  const std::vector<std::string> few{"--set", "predictors=[ncm, slda]", "--set", "seeds=[3]",
                                     "--set", "record.states=false"};
  const auto with = [&](std::vector<std::string> more, rlim_t largest) {
    more.insert(more.end(), few.begin(), few.end());
    return run(more, {}, largest);
  };
  ASSERT_EQ(with({"--out", "whole"}, RLIM_INFINITY).code, 0);
  const auto expected = contents(scratch / "whole");
  std::size_t small = 0;  // all but the states of slda, the measures and the truth fit
  std::size_t large = 0;
  for (const auto& [name, bytes] : expected) {
    if (name.starts_with("checkpoints/slda")) {
      large = std::max(large, bytes.size());
    } else if (!name.starts_with("measures.")) {
      small = std::max(small, bytes.size());
    }
  }
  ASSERT_LT(small, large);
  const auto full = with({"--out", "cut"}, small + 1);
  EXPECT_EQ(full.code, 1);
  EXPECT_NE(full.err.find("checkpoints/slda"), std::string::npos) << full.err;
  EXPECT_NE(full.err.find("cannot write"), std::string::npos) << full.err;
  const auto again = with({"--out", "cut", "--resume"}, RLIM_INFINITY);
  EXPECT_EQ(again.code, 0) << again.err;
  expect_same_files(contents(scratch / "cut"), expected);
}

TEST_F(ResumeTest, a_folder_that_cannot_be_written_is_named) {
  const auto outcome = run({"--out", "/proc/tyto_run"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("/proc/tyto_run"), std::string::npos) << outcome.err;
}

TEST_F(ResumeTest, a_later_start_goes_on_as_the_run_it_comes_from) {
  const std::vector<std::string> one{
      "--set", "seeds=[3]", "--set", "predictors=[ncm, slda]", "--set", "search.method=none"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), one.begin(), one.end());
    return run(more);
  };
  ASSERT_EQ(with({"--out", "whole"}).code, 0);
  const auto later =
      with({"--out", "later", "--set", "from.run=whole", "--set", "from.increment=2"});
  ASSERT_EQ(later.code, 0) << later.err;
  const auto expected = contents(scratch / "whole");
  const auto actual = contents(scratch / "later");
  int compared = 0;
  for (const auto& [name, bytes] : actual) {
    if (name.starts_with("record/")) {
      EXPECT_EQ(name.find("/00"), name.find("/002")) << name;  // nothing before increment 2
      EXPECT_EQ(bytes, expected.at(name)) << name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 20);
  const auto wrong = with({"--out", "no", "--set", "from.run=whole", "--set", "from.increment=9"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("did not get past increment 8"), std::string::npos) << wrong.err;
  const auto other = with({"--out", "no", "--set", "from.run=whole", "--set", "from.increment=2",
                           "--set", "from.arm=slda-50pct"});
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("the predictor \"ncm\" is not that of the arm \"slda-50pct\""),
            std::string::npos)
      << other.err;
}

TEST_F(ResumeTest, a_seed_of_several_is_the_run_of_that_seed_alone) {
  ASSERT_EQ(run({"--out", "both", "--set", "predictors=[ncm]"}).code, 0);
  ASSERT_EQ(run({"--out", "alone", "--set", "predictors=[ncm]", "--seed", "4"}).code, 0);
  expect_same_files(contents(scratch / "both/seed-4"), contents(scratch / "alone"));
}

TEST(Run, same_seed_gives_the_same_bytes_and_another_seed_others) {
  const Scratch scratch;
  write_file(scratch / "small.yaml", kExperiment);
  const Conditions here{scratch.path(), {}, RLIM_INFINITY, ""};
  const auto run = [&](const std::string& out, const std::string& seed) {
    const auto outcome =
        run_program({"run", "small.yaml", "--quiet", "--seed", seed, "--out", out, "--set",
                     "predictors=[{preset: ann, classifier: {steps_at_least: 30}}, ncm]", "--data",
                     testing_support::in_tree("/datasets")},
                    here);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return contents(scratch / out);
  };
  const auto a = run("a", "1");
  EXPECT_EQ(a, run("b", "1"));
  EXPECT_NE(a.at("manifest.csv"), run("c", "2").at("manifest.csv"));
}

}  // namespace
}  // namespace tyto
