// SPDX-License-Identifier: Apache-2.0
// tyto runs diff as a user runs it.
#include "support/program.hpp"
#include "support/toy_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/files.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::slurp;

class RunsDiffVerb : public testing::Test {
 protected:
  Scratch scratch;

  void SetUp() override { testing_support::write_toy_experiment(scratch); }

  Outcome call(const std::vector<std::string>& arguments) const {
    return run_program(arguments, {scratch.path(), {}, RLIM_INFINITY, ""});
  }

  void run_into(const std::string& folder, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"run", "e.yaml", "--quiet", "--out", folder});
    const Outcome outcome = call(more);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }

  Outcome diff(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"runs", "diff", "--quiet"});
    return call(arguments);
  }
};

TEST_F(RunsDiffVerb, says_what_differs_and_what_came_of_it) {
  run_into("a");
  run_into("b", {"--set", "predictors=[{preset: slda, accepted_error: 0.9}]"});
  const Outcome people = diff({"a", "b", "--bootstrap", "50"});
  ASSERT_EQ(people.code, 0) << people.err;
  EXPECT_THAT(people.out, HasSubstr("predictors.ncm "));
  EXPECT_THAT(people.out, HasSubstr("predictors.slda.accepted_error  0.1"));
  EXPECT_THAT(people.out, HasSubstr("only in a: ncm-100pct"));
  EXPECT_THAT(people.out, HasSubstr("slda-100pct  known right"));
  EXPECT_THAT(people.out, HasSubstr("difference: second - first; low and high: 95 %"));
  EXPECT_THAT(people.out, Not(HasSubstr("program and machine")));

  const Outcome program = diff({"a", "b", "--bootstrap", "50", "--json"});
  ASSERT_EQ(program.code, 0) << program.err;
  const auto answer = nlohmann::json::parse(program.out);
  EXPECT_EQ(answer["only_first"], nlohmann::json({"ncm-100pct"}));
  EXPECT_EQ(answer["configuration"].size(), 2u);
  EXPECT_EQ(answer["configuration"][1]["path"], "predictors.slda.accepted_error");
  EXPECT_EQ(answer["configuration"][1]["second"], "0.9");
  ASSERT_EQ(answer["outcome"].size(), 6u);  // the headline but the measure of the run
  const auto recorded = nlohmann::json::parse(slurp(scratch / "b/run.json"));
  for (const auto& row : answer["outcome"]) {
    if (row["title"] == "false alarms") {
      EXPECT_EQ(row["second"], recorded["arms"][0]["headline"]["false_alarms_before"]);
      EXPECT_DOUBLE_EQ(row["difference"].get<double>(),
                       row["second"].get<double>() - row["first"].get<double>());
      EXPECT_GT(row["difference"].get<double>(), 0.0);  // more error was accepted
      EXPECT_LE(row["low"].get<double>(), row["difference"].get<double>());
      EXPECT_LE(row["p"].get<double>(), 1.0);
    }
  }
}

TEST_F(RunsDiffVerb, finds_no_difference_between_a_run_and_itself) {
  run_into("a");
  const auto answer = nlohmann::json::parse(
      diff({"a", "a", "--arm", "ncm-100pct", "--measure", "mcc,nmi", "--bootstrap", "20", "--json"})
          .out);
  EXPECT_TRUE(answer["configuration"].empty());
  EXPECT_FALSE(answer["outcome"].empty());
  for (const auto& row : answer["outcome"]) {
    EXPECT_EQ(row["arm"], "ncm-100pct");
    EXPECT_TRUE(row["measure"] == "mcc" || row["measure"] == "nmi");
    if (!row["difference"].is_null()) {
      EXPECT_EQ(row["difference"], 0.0);
    }
  }
  EXPECT_THAT(diff({"a", "a", "--bootstrap", "0"}).out, HasSubstr("configuration: the same\n"));
}

TEST_F(RunsDiffVerb, says_how_many_samples_are_shared_and_compares_those) {
  run_into("a");
  run_into("b", {"--seed", "2"});  // other classes in other increments
  const Outcome refused = diff({"a", "b"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("--common compares what they share"));
  const Outcome common = diff({"a", "b", "--common", "--bootstrap", "20", "--json"});
  ASSERT_EQ(common.code, 0) << common.err;
  const auto answer = nlohmann::json::parse(common.out);
  EXPECT_EQ(answer["configuration"][0]["path"], "seed");
  EXPECT_GT(answer["outcome"].size(), 0u);
  EXPECT_LT(answer["outcome"][0]["samples"].get<int>(), 40);
}

TEST_F(RunsDiffVerb, compares_several_seeds_seed_by_seed) {
  run_into("a", {"--set", "seeds=[1, 2, 3]"});
  run_into("b", {"--set", "seeds=[3, 2]", "--set", "predictors=[ncm]"});
  const auto answer = nlohmann::json::parse(diff({"a", "b", "--json"}).out);
  ASSERT_EQ(answer["outcome"].size(), 7u);  // the headline, what was forgotten too
  const auto one = [&](const char* file) {
    return nlohmann::json::parse(slurp(scratch / file))["arms"][0]["headline"]["accuracy_after"]
        .get<double>();
  };
  for (const auto& row : answer["outcome"]) {
    if (row["title"] == "named after") {
      EXPECT_EQ(row["seeds"], 2);
      EXPECT_NEAR(row["first"].get<double>(),
                  (one("a/seed-2/run.json") + one("a/seed-3/run.json")) / 2, 1e-12);
      EXPECT_EQ(row["difference"], 0.0);  // the same predictor on the same seeds
    }
  }
  const Outcome mixed = diff({"a", "b/seed-2"});
  EXPECT_EQ(mixed.code, 2);
  EXPECT_THAT(mixed.err, HasSubstr("compare one seed of it, as in a/seed-1"));
  EXPECT_THAT(diff({"a", "b", "--measure", "mcc"}).err, HasSubstr("a/seed-"));
}

TEST_F(RunsDiffVerb, answers_bad_input_with_a_sentence) {
  run_into("a");
  const Outcome none = diff({"a", "nowhere"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("nowhere: no folder, so no run"));
  std::filesystem::create_directories(scratch / "empty");
  EXPECT_THAT(diff({"empty", "a"}).err, HasSubstr("empty: a folder without a run"));
  const Outcome arm = diff({"a", "a", "--arm", "ncm-100pc"});
  EXPECT_EQ(arm.code, 2);
  EXPECT_THAT(arm.err, HasSubstr("did you mean \"ncm-100pct\"?"));
  const Outcome measure = diff({"a", "a", "--measure", "mccc"});
  EXPECT_EQ(measure.code, 2);
  EXPECT_THAT(measure.err, HasSubstr("did you mean \"mcc\"?"));
  EXPECT_EQ(diff({"a"}).code, 2);
  std::string info = slurp(scratch / "a/run.json");
  info.replace(info.find("\"done\": true"), 12, "\"done\": false");
  write_file(scratch / "a/run.json", info);
  EXPECT_THAT(diff({"a", "a"}).err, HasSubstr("a: the run is not finished"));
  EXPECT_THAT(run_program({"runs", "diff", "--help"}).out, HasSubstr("Example:"));
}

TEST_F(RunsDiffVerb, leaves_the_list_of_runs_as_it_is) {
  run_into("runs/a");
  EXPECT_THAT(call({"runs"}).out, HasSubstr("runs/a"));
  EXPECT_EQ(nlohmann::json::parse(call({"runs", "runs", "--json"}).out).size(), 1u);
}

}  // namespace
}  // namespace tyto
