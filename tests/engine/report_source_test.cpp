// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/page/report_source.hpp"

#include <map>

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/engine/run/run.hpp"

namespace tyto {
namespace {

using testing_support::Scratch;

TEST(RunReferences, are_folders_with_or_without_an_arm) {
  const std::vector<std::string> texts{"runs/a/", "runs/b:ncm-50pct", "./runs/b:slda-0pct"};
  const auto all = parse_run_references(texts);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].folder, "runs/a");
  EXPECT_TRUE(all[0].arms.empty());
  EXPECT_EQ(all[1].folder, "runs/b");
  EXPECT_THAT(all[1].arms, testing::ElementsAre("ncm-50pct", "slda-0pct"));
}

TEST(RunReferences, of_a_whole_run_and_one_of_its_arms_are_the_whole_run) {
  for (const auto& texts : {std::vector<std::string>{"a", "a:x"}, {"a:x", "a"}}) {
    const auto all = parse_run_references(texts);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_TRUE(all[0].arms.empty());
  }
}

TEST(RunReferences, may_be_folders_with_a_colon_in_their_name) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "run:1");
  const std::vector<std::string> texts{(scratch / "run:1").string()};
  const auto all = parse_run_references(texts);
  EXPECT_EQ(all[0].folder, scratch / "run:1");
  EXPECT_TRUE(all[0].arms.empty());
}

class ReportSourceTest : public testing::Test {
 protected:
  static RunOptions into(const std::filesystem::path& folder) {
    RunOptions options;
    options.folder = folder;
    options.report = false;
    return options;
  }

  static Experiment experiment(const std::string& predictors, const std::string& more = "") {
    return read_experiment(parse_yaml(
        "name: small\nprior_knowledge: none\ndata: digits\n"
        "world: {kind: increments, start: {classes: 5}, increments: 1}\nfeedback: [0.5]\n"
        "predictors: " +
            predictors + "\n" + more,
        "small.yaml"));
  }

  static PageSource source_of(const std::filesystem::path& folder) {
    const std::vector<std::string> texts{folder.string()};
    return read_page_source(parse_run_references(texts), catalog());
  }

  static Catalog catalog() { return Catalog({TYTO_SOURCE_DIR "/datasets"}); }

  Scratch scratch;
  Progress quiet;
};

TEST_F(ReportSourceTest, finds_the_features_of_a_sample_again) {
  run_experiment(experiment("[ncm]"), catalog(), into(scratch / "run"), quiet);
  const PageSource source = source_of(scratch / "run");
  const RunRecord& record = *source.arms.at(0).seeds.at(0).record;
  const Phase phase = record.phase({1, "pre", "test"});
  const std::vector<SampleId> some{phase.sample.at(5), phase.sample.at(0),
                                   record.phase({0, "post", "train"}).sample.at(3)};
  const Matrix found = source.runs.at(0).samples.features(some);

  const Dataset digits = catalog().load("digits");
  std::map<std::string, Index> row_of;
  for (Index i = 0; i < digits.table.size(); ++i) {
    row_of[digits.table.id[static_cast<std::size_t>(i)]] = i;
  }
  ASSERT_EQ(found.rows(), 3);
  for (std::size_t i = 0; i < some.size(); ++i) {
    const std::string& name = record.truth()->name.at(static_cast<std::size_t>(some[i]));
    const std::vector<Index> row{row_of.at(name)};
    Matrix expected(1, found.cols());
    digits.store->gather("features", row, expected);
    EXPECT_EQ(found.row(static_cast<Index>(i)), expected.row(0)) << name;
  }
  EXPECT_THROW((void)source.runs[0].samples.features(std::vector<SampleId>{SampleId{999999}}),
               Error);
}

TEST_F(ReportSourceTest, counts_every_sample_of_the_manifest) {
  run_experiment(experiment("[ncm]"), catalog(), into(scratch / "run"), quiet);
  const PageSource source = source_of(scratch / "run");
  Index samples = 0;
  for (const ShownCount& count : source.runs.at(0).seeds.at(0).shown) {
    samples += count.samples;
    EXPECT_TRUE(count.step > 0 || !count.novel);
  }
  EXPECT_EQ(samples, 1797);
}

TEST_F(ReportSourceTest, promises_the_error_a_search_chose_and_none_without_held_out_samples) {
  run_experiment(experiment("[ncm, always_unknown, {name: plain, classifier: ncm}]",
                            "search: {method: grid, trials: 2, options: {ncm: {accepted_error: "
                            "[0.03]}}}\n"),
                 catalog(), into(scratch / "run"), quiet);
  const PageSource source = source_of(scratch / "run");
  ASSERT_EQ(source.arms.size(), 3U);
  const PageTable& trials = *source.runs[0].seeds[0].table("search.csv");
  std::optional<double> chosen =
      read_experiment(load_yaml(scratch / "run/experiment.yaml")).predictors.front().accepted_error;
  for (std::size_t row = 0; row < trials.rows.size(); ++row) {
    if (trials.text(row, "predictor") == "ncm" && trials.text(row, "chosen") == "yes" &&
        trials.text(row, "settings") != "{}") {
      chosen = 0.03;
    }
  }
  EXPECT_EQ(source.arms[0].promised, chosen);
  EXPECT_EQ(source.arms[1].promised, std::nullopt);  // a rule of its own
  EXPECT_EQ(source.arms[2].promised, std::nullopt);  // no detector
}

}  // namespace
}  // namespace tyto
