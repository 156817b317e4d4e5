// SPDX-License-Identifier: Apache-2.0
// tyto measure --matrix as somebody with an accuracy matrix runs it.
#include "support/program.hpp"
#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;

// The public log of a run of the released vCLIMB code: diagonal and last row.
TEST(MeasureMatrix, gives_the_numbers_of_a_public_log) {
  const Scratch scratch;
  write_file(scratch / "log.csv",
             "99.27536010742188\n"
             ",98.47328186035156\n"
             ",,97.12229919433594\n"
             ",,,90.55117797851562\n"
             ",,,,94.48818969726562\n"
             ",,,,,95.38461303710938\n"
             ",,,,,,94.20289611816406\n"
             ",,,,,,,82.53968048095703\n"
             ",,,,,,,,91.73553466796875\n"
             "53.62318801879883,52.671756744384766,66.18704986572266,70.07874298095703,"
             "64.56693267822266,80.0,82.60869598388672,73.01587677001953,87.60330200195312,"
             "93.43065643310547\n");
  const Outcome outcome =
      run_program({"measure", "--matrix", (scratch / "log.csv").string(), "--classes",
                   "11,10,10,10,10,10,10,10,10,10", "--joint", "94.9", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto answer = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(answer["unit"], "percent");
  const auto& last = answer["final"];
  EXPECT_NEAR(last["task_accuracy_by_class"].get<double>(), 72.19292, 5e-6);
  EXPECT_NEAR(last["backward_forgetting_by_class"].get<double>(), 23.95414, 5e-6);
  EXPECT_NEAR(last["task_accuracy"].get<double>(), 72.37862, 5e-6);
  EXPECT_NEAR(last["backward_forgetting"].get<double>(), 23.71305, 5e-6);
  EXPECT_NEAR(last["intransigence"].get<double>(), 94.9 - last["learning_accuracy"].get<double>(),
              1e-9);
  EXPECT_TRUE(last["average_incremental_accuracy"].is_null());  // most rows were not logged
  EXPECT_TRUE(last["forward_transfer"].is_null());
}

TEST(MeasureMatrix, says_in_words_what_it_cannot_do) {
  const Scratch scratch;
  const std::string file = (scratch / "m.csv").string();
  write_file(file, "0.5\n0.25,0.75\n");
  const auto refusal = [&](std::vector<std::string> more) {
    more.insert(more.begin(), "measure");
    const Outcome outcome = run_program(more);
    EXPECT_NE(outcome.code, 0);
    return outcome.err;
  };
  EXPECT_THAT(refusal({"--joint", "0.9"}), HasSubstr("go with --matrix"));
  EXPECT_THAT(refusal({"other.csv", "--matrix", file}), HasSubstr("no target besides"));
  EXPECT_THAT(refusal({"--matrix", file, "--joint", "best.csv"}),
              HasSubstr("--joint best.csv: is neither a file, nor an arm of a run"));
  EXPECT_THAT(refusal({"--matrix", file, "--joint", "0.1,0.2,0.3"}),
              HasSubstr("3 values for 2 tasks"));
  EXPECT_THAT(refusal({"--matrix", file, "--classes", "1,2,3"}),
              HasSubstr("2 tasks, but 3 numbers of classes"));
  EXPECT_THAT(refusal({"--matrix", (scratch / "none.csv").string()}), HasSubstr("none.csv"));
}

// A run over tasks gives its matrix, and another arm the reference.
TEST(MeasureMatrix, reads_the_arms_of_a_run) {
  const Scratch scratch;
  write_file(scratch / "cil.yaml",
             "name: small\nseed: 3\nprior_knowledge: none\n"
             "world: {kind: gaussians, start_samples: 12, samples: 4, rounds: 1, increments: 3}\n"
             "protocol: {kind: cil, look_ahead: true, task_ids: true}\n"
             "predictors:\n"
             "  - {name: ncm, classifier: ncm, memory: none}\n"
             "  - {name: joint, classifier: slda, memory: unlimited}\n");
  const std::string run = (scratch / "run").string();
  const Outcome ran =
      run_program({"run", (scratch / "cil.yaml").string(), "--out", run, "--quiet", "--no-report"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Outcome outcome =
      run_program({"measure", "--matrix", run + ":ncm", "--joint", run + ":joint", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto answer = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(answer["unit"], "share");
  EXPECT_GE(answer["tasks"].get<int>(), 2);
  EXPECT_TRUE(answer["final"]["intransigence"].is_number());
  const Outcome table = run_program(
      {"measure", run, "--arm", "ncm", "--measures", "task_accuracy,task_aware_accuracy", "--csv"});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr(",all,post,test,predictor,raw,task_accuracy,"));
  EXPECT_THAT(table.out, HasSubstr(",all,aware,test,predictor,raw,task_aware_accuracy,"));
  EXPECT_THAT(run_program({"measure", "--matrix", run, "--joint", run}).err,
              HasSubstr("has several arms"));
}

}  // namespace
}  // namespace tyto
