// SPDX-License-Identifier: Apache-2.0
// tyto report --csv, --markdown and --latex, as a user runs them.
#include "cli/report_extras.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::Outcome;
using testing_support::ReportExtras;
using testing_support::slurp;

TEST_F(ReportExtras, give_tables_for_papers) {
  run_into("one");
  const Outcome markdown = report({"one", "--markdown"});
  ASSERT_EQ(markdown.code, 0) << markdown.err;
  EXPECT_THAT(markdown.out,
              StartsWith("| predictor | feedback | known right ↑ | new vs known ↑ |"));
  EXPECT_THAT(markdown.out, HasSubstr("\n| slda | 50 % | "));
  EXPECT_THAT(markdown.out, HasSubstr("**"));
  EXPECT_THAT(markdown.out, HasSubstr("Brackets hold 95 % bootstrap intervals"));
  const Outcome csv = report({"one", "--csv", "--out", "t.csv"});
  EXPECT_EQ(csv.code, 0) << csv.err;
  EXPECT_EQ(csv.out, "");
  EXPECT_THAT(
      slurp(scratch / "t.csv"),
      StartsWith("run,predictor,feedback,known_accuracy_before,known_accuracy_before_low,"));
  const auto info = nlohmann::json::parse(slurp(scratch / "one/run.json"));
  EXPECT_THAT(slurp(scratch / "t.csv"),
              HasSubstr("\nfew_digits,ncm,0 %," +
                        info["arms"][0]["headline"]["known_accuracy_before"].dump() + ","));
  const Outcome latex = report({"one:ncm-0pct", "--latex"});
  EXPECT_EQ(latex.code, 0) << latex.err;
  EXPECT_THAT(latex.out, HasSubstr("\\toprule\n"));
  EXPECT_THAT(latex.out, HasSubstr("ncm & 0 \\% & "));
  EXPECT_THAT(latex.out, Not(HasSubstr("slda")));
  EXPECT_EQ(report({"one", "--latex", "--csv"}).code, 2);
  EXPECT_THAT(report({"one:nmc-0pct", "--csv"}).err, HasSubstr("did you mean \"ncm-0pct\"?"));
}

TEST_F(ReportExtras, pool_seeds_and_name_runs_in_tables) {
  run_into("two", {"--set", "seeds=[1, 2]", "--set", "predictors=[ncm]"});
  run_into("one", {"--set", "predictors=[ncm]", "--set", "name=other"});
  const Outcome table = report({"two", "one", "--markdown"});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("| few\\_digits | ncm | 0 % | "));
  EXPECT_THAT(table.out, HasSubstr("| other | ncm | 0 % | "));
  EXPECT_THAT(table.out, HasSubstr(" ± "));
  const Outcome csv = report({"two", "--csv"});
  EXPECT_THAT(csv.out, HasSubstr("accuracy_after_deviation"));
  EXPECT_THAT(csv.out, Not(HasSubstr("accuracy_after_low")));
}

}  // namespace
}  // namespace tyto
