// SPDX-License-Identifier: Apache-2.0
// A run that is killed and resumed ends with the bytes of one that was left alone.
#include <map>

#include "support/program.hpp"
#include <gtest/gtest.h>

#include "tyto/core/files.hpp"
#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using testing_support::Conditions;
using testing_support::run_program;
using testing_support::Scratch;

// All files of a run but times.csv, which tells how long it took.
std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const auto name = entry.path().lexically_relative(folder).string();
    if (entry.is_regular_file() && name != "times.csv") {
      files[name] = testing_support::slurp(entry.path());
    }
  }
  return files;
}

long files_in(const std::filesystem::path& folder) {
  std::error_code ignored;
  long count = 0;
  for (std::filesystem::recursive_directory_iterator at(folder, ignored), end;
       !ignored && at != end; at.increment(ignored)) {
    ++count;
  }
  return count;
}

constexpr const char* kExperiment =
    "name: small\nseed: 3\nprior_knowledge: none\ndata: digits\n"
    "world: {kind: increments, start: {classes: 4}, increments: 3, split: {test: 0.3, validate: "
    "0.1}}\n"
    "feedback: [0.5]\nfeedback_total: [40]\n"
    "predictors: [{preset: ann, classifier: {steps_at_least: 60}}, slda, ncm, always_unknown,"
    " {name: knn, classifier: {name: ridge, projection: 50}, detector: knn, feedback: margin,"
    " memory: {name: class_balanced, budget: 100}}]\n";

TEST(Resume, a_killed_run_ends_with_the_same_bytes) {
  const Scratch scratch;
  write_file(scratch / "small.yaml", kExperiment);
  const Conditions here{scratch.path(), {}, RLIM_INFINITY, ""};
  const std::vector<std::string> command{"run", "small.yaml", "--quiet", "--data",
                                         TYTO_SOURCE_DIR "/datasets"};
  auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = command;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const auto whole = run_program(with({"--out", "whole"}), here);
  ASSERT_EQ(whole.code, 0) << whole.err;
  const auto expected = contents(scratch / "whole");
  ASSERT_TRUE(expected.contains("measures.csv"));

  Rng rng(17);
  int killed = 0;
  for (int round = 0; round < 2; ++round) {
    const std::string out = "cut" + std::to_string(round);
    int code = -1;
    while (code != 0) {
      const bool begun = std::filesystem::exists(scratch / (out + "/run.json"));
      const long enough = files_in(scratch / out) + 1 + static_cast<long>(rng.below(60));
      Conditions short_life = here;
      short_life.kill_when = [&] { return files_in(scratch / out) >= enough; };
      const auto outcome =
          run_program(with({"--out", out, begun ? "--resume" : "--force"}), short_life);
      code = outcome.code;
      ASSERT_TRUE(code == 0 || code == -SIGKILL) << outcome.err;
      killed += code == -SIGKILL ? 1 : 0;
    }
    ASSERT_EQ(code, 0);
    const auto actual = contents(scratch / out);
    ASSERT_EQ(actual.size(), expected.size());
    for (const auto& [name, bytes] : expected) {
      EXPECT_TRUE(actual.contains(name) && actual.at(name) == bytes) << name << " differs";
    }
  }
  EXPECT_GE(killed, 4) << "the test must really cut runs short";
}

TEST(Run, same_seed_gives_the_same_bytes_and_another_seed_others) {
  const Scratch scratch;
  write_file(scratch / "small.yaml", kExperiment);
  const Conditions here{scratch.path(), {}, RLIM_INFINITY, ""};
  const auto run = [&](const std::string& out, const std::string& seed) {
    const auto outcome =
        run_program({"run", "small.yaml", "--quiet", "--seed", seed, "--out", out, "--set",
                     "predictors=[ann, ncm]", "--data", TYTO_SOURCE_DIR "/datasets"},
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
