// SPDX-License-Identifier: Apache-2.0
// tyto runs diff as a user runs it.
#include "support/program.hpp"
#include "support/toy_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/files/files.hpp"

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
  EXPECT_THAT(people.out, HasSubstr("predictors.slda.accepted_error  0.05"));
  EXPECT_THAT(people.out, HasSubstr("only in a: ncm-100pct"));
  EXPECT_THAT(people.out, HasSubstr("slda-100pct  known right"));
  EXPECT_THAT(people.out, HasSubstr("difference: second - first; low and high: 95 %"));
  EXPECT_THAT(people.out, HasSubstr("p (models)"));
  EXPECT_THAT(people.out, HasSubstr("One training on each side: this is about these two models"));
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
  EXPECT_THAT(answer["claim"].get<std::string>(), HasSubstr("not about the methods"));
  for (const auto& row : answer["outcome"]) {
    EXPECT_EQ(row["about"], "models");
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
  const auto answer = nlohmann::json::parse(diff({"a", "b", "--bootstrap", "200", "--json"}).out);
  EXPECT_EQ(answer["paired_by_seed"], true);
  EXPECT_EQ(answer["first_seeds"], nlohmann::json({2, 3}));
  ASSERT_EQ(answer["outcome"].size(), 7u);  // the headline, what was forgotten too
  const auto one = [&](const char* file) {
    return nlohmann::json::parse(slurp(scratch / file))["arms"][0]["headline"]["accuracy_after"]
        .get<double>();
  };
  for (const auto& row : answer["outcome"]) {
    EXPECT_EQ(row["about"], "methods");
    if (row["title"] == "named after") {
      EXPECT_NEAR(row["first"].get<double>(),
                  (one("a/seed-2/run.json") + one("a/seed-3/run.json")) / 2, 1e-12);
      EXPECT_EQ(row["difference"], 0.0);  // the same predictor on the same seeds
      EXPECT_EQ(row["p"], 1.0);
    }
  }
  const Outcome people = diff({"a", "b", "--bootstrap", "200"});
  EXPECT_THAT(people.out, HasSubstr("p (methods)"));
  EXPECT_THAT(people.out, HasSubstr("a difference is told from none only where"));
  const Outcome mixed = diff({"a", "b/seed-2"});
  EXPECT_EQ(mixed.code, 2);
  EXPECT_THAT(mixed.err, HasSubstr("compare one seed of it, as in a/seed-1"));
  const auto mcc = nlohmann::json::parse(
      diff({"a", "b", "--measure", "mcc", "--bootstrap", "200", "--json"}).out);
  EXPECT_FALSE(mcc["outcome"].empty());
}

TEST_F(RunsDiffVerb, compares_seeds_of_their_own_without_pairs) {
  run_into("a", {"--set", "seeds=[1, 2]", "--set", "predictors=[ncm]"});
  run_into("b", {"--set", "seeds=[3, 4, 5]", "--set", "predictors=[ncm]"});
  const Outcome program = diff({"a", "b", "--bootstrap", "200", "--json"});
  ASSERT_EQ(program.code, 0) << program.err;
  const auto answer = nlohmann::json::parse(program.out);
  EXPECT_EQ(answer["paired_by_seed"], false);
  EXPECT_EQ(answer["second_seeds"], nlohmann::json({3, 4, 5}));
  for (const auto& row : answer["outcome"]) {
    if (!row["low"].is_null()) {
      EXPECT_LE(row["low"].get<double>(), row["difference"].get<double>());
      EXPECT_GE(row["high"].get<double>(), row["difference"].get<double>());
    }
  }
}

TEST_F(RunsDiffVerb, refuses_a_record_that_does_not_fit_together) {
  run_into("a");
  const auto record = scratch / "a/record/slda-100pct";
  std::filesystem::remove(record / "001_pre_test.npz");
  const std::string missing =
      "a: the record does not fit together, so it is not measured:\n"
      "  a/record/slda-100pct/001_pre_test.npz is missing: the run committed that phase\n";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"runs", "diff", "a", "a", "--quiet"},
        {"measure", "a"},
        {"measure", "a", "--csv"},
        {"report", "a", "--quiet"}}) {
    const Outcome refused = call(words);
    EXPECT_EQ(refused.code, 1) << words.front();
    EXPECT_THAT(refused.err, HasSubstr("tyto: " + missing)) << words.front();
    EXPECT_THAT(refused.out, Not(HasSubstr("0."))) << words.front();
  }
  std::filesystem::copy_file(scratch / "a/record/ncm-100pct/001_pre_test.npz",
                             record / "001_pre_test.npz");
  EXPECT_THAT(call({"measure", "a"}).err,
              HasSubstr("001_pre_test.npz is of another arm: it was written for ncm-100pct\n"));
  EXPECT_EQ(call({"measure", "a", "--arm", "ncm-100pct"}).code, 0);
  std::filesystem::copy_file(scratch / "a/record/ncm-100pct/001_pre_test.npz",
                             scratch / "a/record/ncm-100pct/001_pre_test2.npz");
  EXPECT_THAT(call({"measure", "a", "--arm", "ncm-100pct", "--csv"}).err,
              HasSubstr("001_pre_test2.npz is a copy: it holds the phase 001_pre_test, which has a "
                        "file of its own\n"));
}

TEST_F(RunsDiffVerb, answers_bad_input_with_a_sentence) {
  run_into("a");
  const Outcome none = diff({"a", "nowhere"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("nowhere: there is no such folder"));
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
