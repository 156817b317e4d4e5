// SPDX-License-Identifier: Apache-2.0
// What every registered clusterer answers where the rows hold little to go by.
#include <algorithm>

#include "cluster/group_rows.hpp"
#include "cluster/toy_cluster.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::Each;

class EveryClusterer : public testing::TestWithParam<std::string> {
 protected:
  // Checked: a group for each row, numbered by first appearance, at every level.
  static Partitions answer(const ClusterTask& task, std::uint64_t seed = 1) {
    Partitions found = toy::cluster_by(GetParam(), {}, task, seed);
    EXPECT_LT(found.chosen, found.levels.size());
    for (const Grouping& level : found.levels) {
      EXPECT_EQ(std::ssize(level), task.rows.rows());
      EXPECT_EQ(level, numbered(level));
    }
    return found;
  }
};

TEST_P(EveryClusterer, gives_one_row_one_group) {
  EXPECT_THAT(toy::chosen(answer({toy::column({3})})), testing::ElementsAre(0));
  EXPECT_THAT(toy::chosen(answer({toy::column({3}), {}, 5})), testing::ElementsAre(0));
}

TEST_P(EveryClusterer, gives_no_rows_no_group) {
  EXPECT_TRUE(toy::chosen(answer({Matrix(0, 4)})).empty());
}

TEST_P(EveryClusterer, puts_few_equal_rows_into_one_group) {
  const std::vector<std::int32_t> labels{0, -1, 0, -1, -1, -1};
  EXPECT_THAT(toy::chosen(answer({Matrix::Constant(6, 3, 0.3F)})), Each(0));
  EXPECT_THAT(toy::chosen(answer({Matrix::Constant(6, 3, 0.3F), {}, 3})), Each(0));
  EXPECT_THAT(toy::chosen(answer({Matrix::Constant(6, 3, 0.3F), labels})), Each(0));
  answer({Matrix::Zero(6, 3)});
}

TEST_P(EveryClusterer, answers_for_many_duplicates_and_constant_columns) {
  Matrix rows(90, 4);
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto side = static_cast<float>(i % 3);
    rows.row(i) << 5.0F, 10.0F * side, 1.0F, -10.0F * side * side;
  }
  const Grouping groups = toy::chosen(answer({rows, {}, 3}));
  for (std::size_t i = 3; i < groups.size(); ++i) {
    EXPECT_EQ(groups[i], groups[i % 3]);  // equal rows together
  }
}

TEST_P(EveryClusterer, answers_when_more_groups_are_asked_for_than_rows) {
  Rng rng(2);
  const Partitions found = answer({toy::random_rows(rng, 5, 3), {}, 50});
  EXPECT_LE(toy::count_groups(toy::chosen(found)), 5);
  EXPECT_FALSE(found.notes.empty());
}

TEST_P(EveryClusterer, answers_when_every_row_is_labelled_or_only_one) {
  Rng rng(3);
  const toy::Blobs blobs = toy::make_blobs(rng, 3, 20, 3, 20.0);
  answer({blobs.rows, blobs.truth});
  std::vector<std::int32_t> one(blobs.truth.size(), -1);
  one[4] = 9;
  answer({blobs.rows, one});
}

TEST_P(EveryClusterer, repeats_itself) {
  Rng rng(4);
  const toy::Blobs blobs = toy::make_blobs(rng, 6, 40, 5, 3.0);
  const Partitions once = answer({blobs.rows}, 11);
  const Partitions again = answer({blobs.rows}, 11);
  EXPECT_EQ(again.levels, once.levels);
  EXPECT_EQ(again.chosen, once.chosen);
}

TEST_P(EveryClusterer, separates_blobs_far_apart_when_told_how_many) {
  Rng rng(5);
  const toy::Blobs blobs = toy::make_blobs(rng, 4, 40, 6, 20.0);
  EXPECT_EQ(toy::chosen(answer({blobs.rows, {}, 4})), blobs.truth);
}

std::vector<std::string> clusterer_names() {
  std::vector<std::string> names;
  for (const ClustererSpec& spec : clusterer_specs()) {
    names.push_back(spec.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryClusterer, testing::ValuesIn(clusterer_names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace tyto
