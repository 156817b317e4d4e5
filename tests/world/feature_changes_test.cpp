// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/feature_changes.hpp"

#include <cmath>
#include <map>
#include <set>

#include "support/scratch.hpp"
#include "support/test_data_makers.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/data/dataset_file.hpp"
#include "tyto/world/rounds/made_folder.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::evenly;
using testing_support::LineDataset;
using testing_support::problem_of;
using testing_support::Scratch;
using testing_support::small_options;

// Features of a sample before and after.
struct Before {
  Matrix before, after;
};

Before altered_by(const std::string& what, const std::string& difficulty, Index width = 200) {
  LineDataset line{evenly(6)};
  line.width = width;
  const Dataset dataset = line.make();
  MakeTestsOptions options = small_options();
  options.novelty = {"altered"};
  options.alterations = {what};
  options.difficulty = {difficulty};
  const MadeTests made = make_tests(dataset, options, 4);
  EXPECT_EQ(made.source, "features");
  Before both{Matrix(made.altered.rows(), width), made.altered};
  for (const MadeSample& sample : made.samples) {
    if (sample.altered > 0) {
      Matrix row(1, width);
      dataset.store->gather("features", Rows(&sample.row, 1), row);
      both.before.row(sample.altered - 1) = row;
    }
  }
  return both;
}

TEST(FeatureChanges, noise_is_as_strong_as_said_in_deviations_of_the_feature) {
  for (const auto& [difficulty, strength] :
       std::map<std::string, double>{{"easy", 2}, {"medium", 1}, {"hard", 0.5}}) {
    const Before both = altered_by("noise", difficulty);
    const Matrix change = both.after - both.before;
    ASSERT_EQ(change.rows(), 24);
    const double square = change.rightCols(199).cast<double>().array().square().mean();
    EXPECT_NEAR(std::sqrt(square), strength * 0.1, strength * 0.1 * 0.05) << difficulty;
  }
}

TEST(FeatureChanges, a_share_of_the_features_is_exchanged) {
  for (const auto& [difficulty, share] :
       std::map<std::string, double>{{"easy", 0.6}, {"medium", 0.4}, {"hard", 0.2}}) {
    const Before both = altered_by("exchange", difficulty);
    for (Index i = 0; i < both.after.rows(); ++i) {
      EXPECT_EQ((both.after.row(i).array() != both.before.row(i).array()).count(),
                std::lround(200 * share));
    }
  }
  const Before narrow = altered_by("exchange", "hard", 2);  // one at least
  EXPECT_EQ((narrow.after.array() != narrow.before.array()).count(), narrow.after.rows());
}

TEST(FeatureChanges, the_way_from_the_centre_is_scaled) {
  for (const auto& [difficulty, factor] :
       std::map<std::string, float>{{"easy", 3.F}, {"medium", 2.F}, {"hard", 1.5F}}) {
    const Before both = altered_by("scale", difficulty, 3);
    LineDataset line{evenly(6)};
    const ClassMap map = map_classes(line.make());
    for (Index i = 0; i < both.after.rows(); ++i) {
      const Eigen::RowVectorXf centre = map.centre.transpose().cast<float>();
      EXPECT_TRUE(
          (both.after.row(i) - centre).isApprox(factor * (both.before.row(i) - centre), 1e-4F));
    }
  }
}

TEST(FeatureChanges, tests_of_a_group_take_turns_in_what_is_altered) {
  MakeTestsOptions options = small_options();
  options.tests = 4;
  options.novelty = {"altered"};
  std::vector<std::string> changes;
  std::set<std::string> strengths;
  for (const auto& test : make_tests(LineDataset{evenly(6)}.make(), options, 4).tests) {
    changes.push_back(nlohmann::json::parse(test->metadata)["change"]);
    for (const auto& row : test->rows) {
      strengths.insert(row[16]);
    }
  }
  EXPECT_THAT(changes, ElementsAre("noise", "exchange", "scale", "noise"));
  EXPECT_EQ(strengths, (std::set<std::string>{"NA", "easy", "medium", "hard"}));
}

TEST(FeatureChanges, makes_tests_of_samples_with_frames_but_alters_none) {
  Dataset dataset = LineDataset{evenly(6)}.make();
  const Index n = dataset.table.size();
  Matrix features(2 * n, 1);
  for (Index i = 0; i < n; ++i) {
    features(2 * i, 0) = features(2 * i + 1, 0) = static_cast<float>(i / 40);
  }
  dataset.table.frames.assign(at(n), 2);
  dataset.store = std::make_shared<DenseStore>(features);
  MakeTestsOptions options = small_options();
  const MadeTests made = make_tests(dataset, options, 1);
  const Scratch scratch;
  write_made_tests(made, dataset, options, 1, scratch / "made", {true, false});
  const Dataset back = load_dataset(scratch / "made/features");
  EXPECT_EQ(back.store->rows(), 2 * back.table.size());
  Matrix rows(2, 1);
  back.store->gather("features", std::vector<Index>{10, 11}, rows);
  EXPECT_EQ(rows(0, 0), static_cast<float>(made.samples[5].row / 40));
  EXPECT_EQ(rows(1, 0), rows(0, 0));
  options.novelty = {"altered"};
  EXPECT_THAT(problem_of([&] { make_tests(dataset, options, 1); }, ErrorKind::config),
              HasSubstr("have several frames"));
}

}  // namespace
}  // namespace tyto
