// SPDX-License-Identifier: Apache-2.0
// tyto measure --detection as somebody with a table of novelty scores runs it.
#include <filesystem>

#include "support/places.hpp"
#include "support/program.hpp"
#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;

const std::filesystem::path kNovelCraft = testing_support::in_tree("/../shared/data/novelcraft");

nlohmann::json detection_answer(std::vector<std::string> more) {
  more.insert(more.begin(), {"measure", "--detection"});
  more.emplace_back("--json");
  const Outcome outcome = run_program(more);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.code == 0 ? nlohmann::json::parse(outcome.out) : nlohmann::json();
}

std::string detection_refusal(std::vector<std::string> more) {
  more.insert(more.begin(), {"measure", "--detection"});
  const Outcome outcome = run_program(more);
  EXPECT_NE(outcome.code, 0);
  return outcome.err;
}

// Every column is a key, and holds the value.
void expect_columns(const CsvTable& expected, Index row, const nlohmann::json& answer) {
  for (Index column = 0; column < std::ssize(expected.columns()); ++column) {
    const std::string& name = expected.columns()[static_cast<std::size_t>(column)];
    ASSERT_TRUE(answer.contains(name)) << name;
    if (column > 1) {
      const double value = expected.number(row, column);
      const double most = name.starts_with("threshold") ? 1e-8 * (1 + std::abs(value)) : 1e-3;
      EXPECT_NEAR(answer[name].get<double>(), value, most) << row << " " << name;
    }
  }
}

TEST(MeasureDetection, reproduces_every_value_of_the_released_frames) {
  if (!std::filesystem::is_directory(kNovelCraft)) {
    GTEST_SKIP() << "the released scores of NovelCraft are not on this machine: " << kNovelCraft;
  }
  const CsvTable expected = CsvTable::load(kNovelCraft / "expected_frame_metrics.csv");
  for (Index row = 0; row < expected.rows(); ++row) {
    const auto answer = detection_answer({(kNovelCraft / "frame_scores_test.csv.gz").string(),
                                          "--score", std::string(expected.text(row, 0)), "--truth",
                                          "novel", "--rule", std::string(expected.text(row, 1)),
                                          "--prior", "0.25", "--tpr", "0.95", "--ppv", "0.80"});
    EXPECT_EQ(answer["method"], std::string(expected.text(row, 0)));
    EXPECT_EQ(answer["rule"], std::string(expected.text(row, 1)));
    expect_columns(expected, row, answer);
  }
}

TEST(MeasureDetection, reproduces_every_value_of_the_released_episodes) {
  if (!std::filesystem::is_directory(kNovelCraft)) {
    GTEST_SKIP() << "the released scores of NovelCraft are not on this machine: " << kNovelCraft;
  }
  const CsvTable expected = CsvTable::load(kNovelCraft / "expected_episode_metrics.csv");
  for (Index row = 0; row < expected.rows(); ++row) {
    const std::string file = "episode_scores_" + std::string(expected.text(row, 0)) + ".csv.gz";
    const auto answer = detection_answer(
        {(kNovelCraft / file).string(), "--score", "score", "--episodes",
         (kNovelCraft / "episode_classes.csv").string(), "--rule",
         std::string(expected.text(row, 1)), "--prior", "0.85", "--tpr", "0.95", "--ppv", "0.95"});
    expect_columns(expected, row, answer);
  }
}

// Novel 4, 2; normal 3, 1, 0, 0.
std::string six_scores(const Scratch& scratch) {
  const std::string file = (scratch / "six.csv").string();
  write_file(file,
             "id,score,novel\na/0/0,4,1\na/0/1,2,1\nb/0/0,3,0\nb/0/1,1,0\nb/1/0,0,0\nb/1/1,0,0\n");
  return file;
}

TEST(MeasureDetection, chooses_thresholds_by_costs_and_by_a_budget) {
  const Scratch scratch;
  const auto answer = detection_answer({six_scores(scratch), "--cost", "10:1", "--frequency", "0.1",
                                        "--alarms-per-day", "324", "--frames-per-day", "1000"});
  EXPECT_EQ(answer["cost"]["threshold"], 2.0);
  EXPECT_NEAR(answer["cost"]["expected_cost"].get<double>(), 0.225, 1e-12);
  EXPECT_NEAR(answer["cost"]["without_detector"].get<double>(), 0.9, 1e-12);
  EXPECT_EQ(answer["budget"]["threshold"], 3.0);
  EXPECT_NEAR(answer["budget"]["alarms_expected"].get<double>(), 275, 1e-9);
  EXPECT_EQ(answer["cost_curve"].size(), 21U);
  EXPECT_EQ(answer["distinct_scores"], 5);
  EXPECT_EQ(answer["largest_tie"], 2);
  EXPECT_FALSE(answer["false_alarm_rates"][0]["can_be_shown"].get<bool>());
}

TEST(MeasureDetection, takes_thresholds_of_a_file_or_of_rows) {
  const Scratch scratch;
  const std::string both = (scratch / "both.csv").string();
  write_file(both,
             "score,novel,split\n9,1,valid\n5,1,valid\n3,0,valid\n7,0,train\n"
             "9,1,test\n4,1,test\n6,0,test\n1,0,test\n");
  const auto by_rows = detection_answer({both, "--tpr", "1", "--validation", "split"});
  EXPECT_EQ(by_rows["threshold_tpr100"], 5.0);
  EXPECT_EQ(by_rows["tpr_at_tpr100"], 50.0);
  EXPECT_EQ(by_rows["chosen_on"], "validation");
  EXPECT_EQ(by_rows["novel"], 2);
  const std::string test = (scratch / "test.csv").string();
  const std::string valid = (scratch / "valid.csv").string();
  write_file(test, "score,novel\n9,1\n4,1\n6,0\n1,0\n");
  write_file(valid, "score,novel\n9,1\n5,1\n3,0\n,1\n");
  const auto by_file = detection_answer({test, "--tpr", "1", "--validation", valid});
  EXPECT_EQ(by_file["threshold_tpr100"], 5.0);
  EXPECT_THAT(by_file["notes"].dump(), HasSubstr("1 of 4 validation rows have no score"));
}

TEST(MeasureDetection, writes_a_line_of_the_same_columns) {
  const Scratch scratch;
  const Outcome outcome = run_program({"measure", "--detection", six_scores(scratch), "--csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("method,rule,auroc,auprc_trapezoid,average_precision,tpr_at_"));
  EXPECT_THAT(outcome.out, HasSubstr("\nscore,max_recall,87.5,"));
  EXPECT_THAT(outcome.err, HasSubstr("cannot be shown with so few"));
}

TEST(MeasureDetection, has_a_table_for_people_with_intervals_over_episodes) {
  const Scratch scratch;
  const Outcome outcome = run_program({"measure", "--detection", six_scores(scratch), "--bootstrap",
                                       "20", "--by-group", "episode", "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2 novel and 4 normal samples, 5 distinct scores"));
  EXPECT_THAT(outcome.out, HasSubstr("resamples of 3 groups of one episode"));
  EXPECT_THAT(outcome.out, HasSubstr("AUPRC by trapezoids"));
}

TEST(MeasureDetection, of_one_kind_or_of_constant_scores_says_so) {
  const Scratch scratch;
  const std::string file = (scratch / "one.csv").string();
  write_file(file, "score,novel\n1,0\n2,0\n");
  const auto normal = detection_answer({file});
  EXPECT_TRUE(normal["auroc"].is_null());
  EXPECT_TRUE(normal["threshold_tpr95"].is_null());
  EXPECT_THAT(normal["notes"].dump(), HasSubstr("all 2 measured samples are normal"));
  write_file(file, "score,novel\n1,0\n1,1\n");
  const auto constant = detection_answer({file});
  EXPECT_EQ(constant["auroc"], 50.0);
  EXPECT_THAT(constant["notes"].dump(), HasSubstr("all scores are equal"));
}

TEST(MeasureDetection, of_an_episode_of_one_frame_takes_that_frame) {
  const Scratch scratch;
  const std::string file = (scratch / "e.csv").string();
  const std::string types = (scratch / "t.csv").string();
  write_file(file,
             "class,episode,frame,score\nnormal,0,0,1\nfence,0,0,5\nfence,1,0,0\nfence,1,1,7\n");
  write_file(types, "class,first_novel_episode\nnormal,-1\nfence,0\n");
  for (const std::string how : {"maximum", "running_mean", "martingale"}) {
    const auto answer = detection_answer({file, "--episodes", types, "--over-frames", how});
    EXPECT_EQ(answer["novel_episodes"], 2) << how;
    EXPECT_THAT(answer["notes"].dump(), HasSubstr("2 episodes have one frame")) << how;
  }
  EXPECT_THAT(detection_refusal({file, "--episodes", types, "--over-frames", "cusum"}),
              HasSubstr("1 normal frames have a deviation of 0"));
}

// e1 is normal, then new; e2 is normal; by their greatest score but the last: 7 and 2.
TEST(MeasureDetection, takes_groups_of_rows_for_episodes) {
  const Scratch scratch;
  const std::string file = (scratch / "g.csv").string();
  write_file(file,
             "episode,frame,novel,class,score\ne1,2,1,fence,9\ne1,1,1,fence,7\ne1,0,0,normal,1\n"
             "e2,0,0,normal,2\ne2,1,0,normal,8\n");
  const auto answer = detection_answer({file, "--episodes", "groups", "--tpr", "1"});
  EXPECT_EQ(answer["novel_episodes"], 1);
  EXPECT_EQ(answer["normal_episodes"], 1);
  EXPECT_EQ(answer["auroc"], 100.0);
  EXPECT_EQ(answer["threshold_tpr100"], 7.0);
  EXPECT_THAT(answer["notes"].dump(), HasSubstr("in 1 novel episodes the novelty comes after"));
  write_file(file, "episode,frame,novel,score\ne1,0,1,9\ne1,0,0,1\n");
  EXPECT_THAT(detection_refusal({file, "--episodes", "groups"}),
              HasSubstr("line 3: frame 0 of its episode stands in the table before"));
  write_file(file, "frame,novel,score\n0,1,9\n");
  EXPECT_THAT(detection_refusal({file, "--episodes", "groups"}), HasSubstr("\"episode\""));
}

// Two arms on the digits: the table and the run's own measures agree.
TEST(MeasureDetection, measures_the_scores_of_a_run) {
  const Scratch scratch;
  const std::string file = (scratch / "detect.yaml").string();
  write_file(file,
             "name: detect\nprior_knowledge: none\ndata: digits\n"
             "world: {kind: novel_classes, normal: 5, novel_validate: 2, novel_test: 3}\n"
             "protocol: detect\npredictors:\n"
             "  - {name: far, classifier: slda, detector: mahalanobis}\n"
             "  - {name: near, classifier: ncm, detector: energy}\n");
  const std::string run = (scratch / "run").string();
  const Outcome made = run_program({"run", file, "--out", run, "--quiet", "--no-report"});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto both = detection_answer({run});
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0]["method"], "far");
  EXPECT_EQ(both[0]["chosen_on"], "validation");
  const auto one = detection_answer({run, "--arm", "near"});
  EXPECT_EQ(one["method"], "near");
  EXPECT_EQ(one["auroc"], both[1]["auroc"]);
  const CsvTable measures = CsvTable::load(scratch / "run" / "measures.csv");
  double auroc = -1;
  for (Index row = 0; row < measures.rows(); ++row) {
    if (measures.text(row, measures.column("arm")) == "near" &&
        measures.text(row, measures.column("measure")) == "auroc" &&
        measures.text(row, measures.column("split")) == "test") {
      auroc = measures.number(row, measures.column("value"));
    }
  }
  EXPECT_NEAR(one["auroc"].get<double>(), 100 * auroc, 1e-6);
  EXPECT_THAT(detection_refusal({run, "--arm", "neer"}), HasSubstr("did you mean \"near\""));
  EXPECT_THAT(detection_refusal({run, "--episodes", "groups"}),
              HasSubstr("needs data that name groups of samples"));
  EXPECT_THAT(detection_refusal({six_scores(scratch), "--arm", "near"}),
              HasSubstr("only a run has arms"));
}

TEST(MeasureDetection, says_in_words_what_it_cannot_do) {
  const Scratch scratch;
  const std::string file = six_scores(scratch);
  EXPECT_THAT(detection_refusal({file, "--score", "scor"}), HasSubstr("did you mean \"score\""));
  EXPECT_THAT(detection_refusal({file, "--truth", "id"}),
              HasSubstr("line 2, column \"id\": \"a/0/0\" does not say whether the row is novel"));
  EXPECT_THAT(detection_refusal({file, "--rule", "papre"}), HasSubstr("did you mean \"paper\""));
  EXPECT_THAT(detection_refusal({file, "--prior", "1.5"}), HasSubstr("between 0 and 1"));
  EXPECT_THAT(detection_refusal({file, "--cost", "10"}), HasSubstr("--frequency"));
  EXPECT_THAT(detection_refusal({file, "--cost", "10", "--frequency", "0.1"}),
              HasSubstr("as 10:1"));
  EXPECT_THAT(detection_refusal({file, "--alarms-per-day", "5", "--frequency", "0.1"}),
              HasSubstr("go together"));
  EXPECT_THAT(detection_refusal({file, "--validation", "split"}),
              HasSubstr("neither a file nor a column"));
  EXPECT_THAT(detection_refusal({file, "--tpr", "0"}), HasSubstr("above 0 and at most 1"));
  EXPECT_THAT(detection_refusal({file, "--episodes", file}), HasSubstr("\"class\""));
  write_file(scratch / "nan.csv", "score,novel\n1,0\nnan,1\n");
  EXPECT_THAT(detection_refusal({(scratch / "nan.csv").string()}),
              HasSubstr("line 3, column \"score\": the score is not a number"));
  write_file(scratch / "empty.csv", "score,novel\n1,0\n,1\n");
  EXPECT_THAT(detection_refusal({(scratch / "empty.csv").string()}), HasSubstr("line 3"));
}

}  // namespace
}  // namespace tyto
