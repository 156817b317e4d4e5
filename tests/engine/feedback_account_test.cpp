// SPDX-License-Identifier: Apache-2.0
// What a run says of feedback that is more than labels: in its folder and to people, the same after
// a break and with arms in processes of their own.
#include "support/program.hpp"
#include "support/toy_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::run_program;
using testing_support::Scratch;

class FeedbackAccount : public testing::Test {
 protected:
  FeedbackAccount() { testing_support::write_toy_experiment(scratch); }

  testing_support::Outcome run(const std::string& out, std::vector<std::string> more) {
    std::vector<std::string> all{"run",    "e.yaml",   "--quiet", "--no-report",
                                 "--data", "datasets", "--out",   out};
    all.insert(all.end(), more.begin(), more.end());
    return run_program(all, {scratch.path(), {}, RLIM_INFINITY, ""});
  }

  std::string file(const std::string& out, const char* name) {
    return testing_support::slurp(scratch / (out + "/" + name));
  }

  Scratch scratch;
};

TEST_F(FeedbackAccount, is_kept_of_a_teacher_that_errs) {
  std::string answers = "id,label\n";
  for (int i = 0; i < 160; ++i) {
    answers += "t" + std::to_string(i) + ",c" + std::to_string(i % 8 == 0 ? 1 : i % 4) + "\n";
  }
  write_file(scratch / "answers.csv", answers);
  const std::vector<std::string> teacher{"--set", "protocol.kind=owl",
                                         "--set", "protocol.oracle=predictor",
                                         "--set", "protocol.teacher.table=answers.csv",
                                         "--set", "protocol.costs.teacher=0.5"};
  const auto done = run("whole", teacher);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("feedback cost "));
  const CsvTable csv = CsvTable::parse(file("whole", "feedback.csv"), "feedback.csv");
  ASSERT_EQ(csv.rows(), 4);  // two arms, two increments
  double wrong = 0;
  for (Index row = 0; row < csv.rows(); ++row) {
    const double asked = csv.number(row, csv.column("asked"));
    EXPECT_EQ(csv.number(row, csv.column("spent")), 0.5 * asked);
    EXPECT_EQ(csv.number(row, csv.column("labels")), asked);  // the table knows them all
    wrong += csv.number(row, csv.column("wrong"));
  }
  EXPECT_GT(wrong, 0);
  auto jobs = teacher;
  jobs.insert(jobs.end(), {"--jobs", "2"});
  ASSERT_EQ(run("jobs", jobs).code, 0);
  EXPECT_EQ(file("jobs", "feedback.csv"), file("whole", "feedback.csv"));
  EXPECT_EQ(file("jobs", "measures.csv"), file("whole", "measures.csv"));
}

TEST_F(FeedbackAccount, is_not_kept_of_plain_labels) {
  const auto done = run("labels", {});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, Not(HasSubstr("feedback cost ")));
  EXPECT_FALSE(std::filesystem::exists(scratch / "labels/feedback.csv"));
}

TEST_F(FeedbackAccount, names_a_file_that_is_not_there_before_the_run_begins) {
  const auto done = run("none", {"--set", "protocol.kind=owl", "--set", "protocol.oracle=predictor",
                                 "--set", "protocol.teacher.table=nowhere.csv"});
  EXPECT_NE(done.code, 0);
  EXPECT_THAT(done.err, HasSubstr("nowhere.csv"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "none"));
}

}  // namespace
}  // namespace tyto
