// SPDX-License-Identifier: Apache-2.0
// A world without increments and a protocol nobody has heard of run through the whole engine: no
// file of it names either.
#include "engine/rounds.hpp"

#include "support/page_reader.hpp"
#include "support/program.hpp"
#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/engine/page/report_source.hpp"
#include "tyto/engine/run/run.hpp"
#include "tyto/engine/run/run_info.hpp"
#include "tyto/report/page/page.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::read_page;
using testing_support::Scratch;
using testing_support::section_of;
using testing_support::slurp;

class RoundsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { testing_support::add_rounds(); }

  static Experiment experiment(bool reveals) {
    return read_experiment(parse_yaml(
        std::string("name: rounds\nprior_knowledge: none\nworld: {kind: test_rounds, reveals: ") +
            (reveals ? "true" : "false") +
            "}\nprotocol: test_rounds\npredictors: [ncm, always_unknown]\n",
        "rounds.yaml"));
  }

  RunOutcome run(bool reveals, const std::string& folder) {
    RunOptions options;
    options.folder = scratch / folder;
    return run_experiment(experiment(reveals), Catalog({}), options, quiet);
  }

  Scratch scratch;
  Progress quiet;
};

TEST_F(RoundsTest, give_a_run_folder_a_headline_measures_and_a_page) {
  const RunOutcome outcome = run(true, "open");
  ASSERT_EQ(outcome.arms.size(), 2U);
  EXPECT_EQ(outcome.arms[0].arm, "ncm");
  ASSERT_EQ(outcome.arms[0].headline.size(), 2U);
  EXPECT_EQ(outcome.arms[0].headline[0].title, "right");
  // Two of three classes are of the start and far apart.
  EXPECT_GT(outcome.arms[0].headline[0].value.value(), 0.6);
  EXPECT_GT(outcome.arms[0].headline[1].value.value(), 0.9);
  EXPECT_NEAR(outcome.arms[1].headline[0].value.value(), 1.0 / 3.0, 1e-6) << "only the new is new";
  EXPECT_THAT(slurp(scratch / "open/measures.csv"), HasSubstr("ncm,ncm,100 %,2,round,round,"));
  EXPECT_THAT(outcome.world, HasSubstr("a start, then rounds"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "open/manifest.csv"));
  EXPECT_TRUE(read_run_info(scratch / "open/run.json").done);

  const nlohmann::json page = read_page(slurp(outcome.report));
  const nlohmann::json summary = section_of(page, "summary");
  ASSERT_FALSE(summary.is_null());
  EXPECT_EQ(summary.at("columns").at(0).at("title"), "right");
  EXPECT_NEAR(summary.at("rows").at(0).at("values").at(0).at(0).get<double>(),
              *outcome.arms[0].headline[0].value, 1e-3);
  const nlohmann::json progress = section_of(page, "progress");
  ASSERT_FALSE(progress.is_null());
  EXPECT_EQ(progress.at("lines").at(0).at("points").at(1).at("phase"), "round");
  EXPECT_EQ(progress.at("lines").at(0).at("points").at(1).at("at"), 2);
  EXPECT_FALSE(section_of(page, "confusion").is_null());
  EXPECT_FALSE(section_of(page, "cost").is_null());
}

TEST_F(RoundsTest, are_recorded_and_shown_without_a_truth_to_measure_them_by) {
  const RunOutcome outcome = run(false, "closed");
  EXPECT_FALSE(outcome.arms[0].headline[0].value.has_value());
  EXPECT_FALSE(std::filesystem::exists(scratch / "closed/truth.npz"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "closed/record/ncm/003_round_round.npz"));
  EXPECT_TRUE(read_run_info(scratch / "closed/run.json").done);
  const nlohmann::json page = read_page(slurp(outcome.report));
  EXPECT_TRUE(section_of(page, "summary").at("rows").at(0).at("values").at(0).at(0).is_null());
  EXPECT_TRUE(section_of(page, "confusion").is_null());
  EXPECT_FALSE(section_of(page, "cost").is_null());
  EXPECT_FALSE(section_of(page, "provenance").is_null());
}

TEST_F(RoundsTest, predict_the_same_whether_the_truth_is_at_hand_or_not) {
  run(true, "open");
  run(false, "closed");
  const Phase open =
      StoredRecord(RunFolder(scratch / "open"), "ncm", {}).phase({2, "round", "round"});
  const Phase closed =
      StoredRecord(RunFolder(scratch / "closed"), "ncm", {}).phase({2, "round", "round"});
  EXPECT_EQ(open.novelty, closed.novelty);
  EXPECT_EQ(open.top, closed.top);
  EXPECT_FALSE(open.p_true.empty());
  EXPECT_TRUE(closed.p_true.empty());
}

TEST_F(RoundsTest, refuse_a_search_since_there_is_no_start_to_rehearse_on) {
  Experiment searching = experiment(true);
  searching.search.method = "grid";
  RunOptions options;
  options.folder = scratch / "search";
  try {
    run_experiment(searching, Catalog({}), options, quiet);
    FAIL() << "was not refused";
  } catch (const Error& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("the world test_rounds has no start"));
  }
}

}  // namespace
}  // namespace tyto
