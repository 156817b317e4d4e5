// SPDX-License-Identifier: Apache-2.0
// tyto measure as a user runs it.
#include "support/environment.hpp"
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
using testing::StartsWith;
using testing_support::Conditions;
using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::slurp;

class MeasureVerb : public testing::Test {
 protected:
  Scratch scratch;

  void SetUp() override {
    write_file(scratch / "worked.csv",
               "id,label,predicted,area\n"
               "1,A,A,3\n2,A,A,5\n3,A,A,1\n4,A,B,2\n5,B,B,8\n6,B,B,7\n7,B,unknown,\n8,B,A,4\n"
               "9,X,unknown_0,6\n10,X,unknown_0,9\n11,X,A,2.5\n12,Y,unknown_1,\n"
               "13,Y,unknown_0,3.5\n14,Y,unknown,4.5\n");
  }

  Outcome tyto(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "measure");
    return run_program(arguments, {scratch.path(), {}, RLIM_INFINITY, ""});
  }

  // A run of two arms on a toy dataset.
  void make_run() const {
    testing_support::write_toy_experiment(scratch);
    const Outcome outcome =
        run_program({"run", "e.yaml", "--quiet"}, {scratch.path(), {}, RLIM_INFINITY, ""});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
};

TEST_F(MeasureVerb, gives_the_worked_example_as_a_table_for_people) {
  const Outcome outcome = tyto({"worked.csv", "--known", "A,B"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("known classes: the 2 listed"));
  EXPECT_THAT(outcome.out, HasSubstr("     14     0.714  0.567  0.383"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("new vs known")));  // there is no score
  EXPECT_EQ(outcome.err, "");
}

TEST_F(MeasureVerb, writes_the_long_format_with_what_was_asked_for) {
  const Outcome csv = tyto({"worked.csv", "--known", "A,B", "--measures", "detection_rate", "--by",
                            "area:3", "--bootstrap", "20", "--csv"});
  EXPECT_EQ(csv.code, 0) << csv.err;
  EXPECT_THAT(csv.out, StartsWith("step,phase,split,group,samples,novel_to,view,measure,value,low,"
                                  "high\n0,-,-,1 of 3,4,predictor,detection,detection_rate,0,0,0"));
  EXPECT_THAT(csv.err, HasSubstr("1 of 3: 1 to 3, 2 of 3: 3.5 to 5"));
  EXPECT_EQ(tyto({"worked.csv", "--known", "A,B", "--json", "--out", "m.json", "--quiet"}).out, "");
  const auto list = nlohmann::json::parse(slurp(scratch / "m.json"));
  EXPECT_GT(list.size(), 20u);
  EXPECT_EQ(list.front()["step"], 0);
}

TEST_F(MeasureVerb, joins_annotations_by_id) {
  write_file(scratch / "notes.csv", "id,light\n1,day\n2,day\n3,night\n");
  const Outcome outcome = tyto({"worked.csv", "--known", "A,B", "--by", "light", "--annotations",
                                "notes.csv", "--measures", "accuracy", "--csv", "--quiet"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("all,-,-,day,2,predictor,raw,accuracy,1\n"));
  EXPECT_THAT(outcome.out, HasSubstr("all,-,-,N/A,11,predictor,raw,accuracy,"));
}

TEST_F(MeasureVerb, tells_of_every_class_and_writes_matrices) {
  const Outcome outcome = tyto({"worked.csv", "--known", "A,B", "--per-class", "--csv", "--quiet",
                                "--confusion", "matrix.csv"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("all,-,-,predictor,X,no,3,0,,0,0,0.6666666666666666,"
                                     "unknown_0,2,\n"));
  EXPECT_THAT(slurp(scratch / "matrix.csv"),
              HasSubstr("all,-,-,predictor,detection,1,unknown,known,1\n"));
}

TEST_F(MeasureVerb, gives_an_untouched_run_the_bytes_of_its_own_files) {
  make_run();
  EXPECT_EQ(tyto({"runs/e", "--csv"}).out, slurp(scratch / "runs/e/measures.csv"));
  EXPECT_EQ(tyto({"runs/e", "--json"}).out, slurp(scratch / "runs/e/measures.json"));
  // The way through groups and classes holds all phases at once and gives the same.
  const std::string all = tyto({"runs/e", "--csv", "--confusion", "m.csv"}).out;
  EXPECT_EQ(all, slurp(scratch / "runs/e/measures.csv"));
  EXPECT_THAT(slurp(scratch / "m.csv"), HasSubstr(",predictor,raw,5,"));  // by rank
}

TEST_F(MeasureVerb, compares_the_arms_of_a_run) {
  make_run();
  const Outcome same = tyto({"runs/e", "--arm", "ncm-100pct", "--arm2", "ncm-100pct", "--bootstrap",
                             "30", "--csv", "--quiet", "--measures", "mcc", "--split", "test"});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_THAT(same.out, StartsWith("step,phase,split,novel_to,view,measure,first,second,difference,"
                                   "low,high,below,above,p\n"));
  EXPECT_THAT(same.out, HasSubstr(",0,0,0,0,0,1\n"));
  const Outcome other = tyto({"runs/e", "runs/e", "--arm", "ncm-100pct", "--arm2", "slda-100pct",
                              "--by-group", "group", "--bootstrap", "30", "--quiet"});
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_THAT(other.out, HasSubstr("in whole groups of one group"));
  const Outcome unclear = tyto({"runs/e", "runs/e"});
  EXPECT_EQ(unclear.code, 2);
  EXPECT_THAT(unclear.err, HasSubstr("choose one by --arm: ncm-100pct, slda-100pct"));
}

TEST_F(MeasureVerb, answers_mistakes_with_a_sentence) {
  const auto expect_refused = [&](std::vector<std::string> arguments, int code,
                                  const std::string& sentence) {
    const Outcome outcome = tyto(std::move(arguments));
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(sentence));
    EXPECT_EQ(outcome.out, "");
  };
  write_file(scratch / "logits.csv", "id,label,A,B\n1,A,3.5,-1.5\n");
  expect_refused({"nowhere.csv"}, 1, "nowhere.csv");
  expect_refused({"logits.csv"}, 1, "logits.csv: line 2, column \"B\": the probability -1.5");
  expect_refused({"worked.csv", "--measures", "acuracy"}, 2, "did you mean \"accuracy\"");
  expect_refused({"worked.csv", "--by", "aera"}, 1, "did you mean \"area\"");
  expect_refused({"worked.csv", "--by", "area:1"}, 2, "2 parts or more");
  expect_refused({"worked.csv", "--split", "test"}, 2, "no split is called \"test\"");
  expect_refused({"worked.csv", "--arm", "x"}, 2, "only a run has arms");
  expect_refused({"worked.csv", "--stratify"}, 2, "--bootstrap");
  expect_refused({"worked.csv", "--level", "1.5", "--bootstrap", "5"}, 2, "level 1.5");
  expect_refused({"worked.csv", "--known", "known.txt"}, 1, "does not exist");
  expect_refused({"worked.csv", "--csv", "--json"}, 2, "excludes");
  expect_refused({"."}, 1, "without a run");
}

TEST_F(MeasureVerb, needs_no_torch) {
  const std::string opened =
      testing_support::opened_libraries([&] { EXPECT_EQ(tyto({"worked.csv"}).code, 0); });
  EXPECT_THAT(opened, testing::AllOf(HasSubstr("libtyto"), Not(HasSubstr("libtorch"))));
}

}  // namespace
}  // namespace tyto
