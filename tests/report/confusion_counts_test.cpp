// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/confusion_counts.hpp"

#include "tiny_page.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::HasSubstr;

PageMatrix counts(Index step, std::string split, std::vector<Index> known,
                  std::vector<std::array<std::int32_t, 3>> cells) {
  return {0, {step, "pre", std::move(split)}, std::move(known), std::move(cells)};
}

std::vector<PageMatrix> four_matrices() {
  return {counts(1, "train", {1}, {{1, 1, 5}, {2, 0, 3}}),
          counts(1, "test", {1}, {{1, 1, 2}, {2, 1, 1}}),
          counts(2, "train", {1, 2}, {{1, 1, 4}, {2, 2, 6}}),
          counts(2, "test", {1, 2}, {{1, 1, 2}, {2, 2, 2}})};
}

TEST(Coarsen, changes_nothing_within_the_limit) {
  auto matrices = four_matrices();
  EXPECT_EQ(coarsen(matrices, 8), "");
  EXPECT_EQ(matrices.size(), 4U);
}

TEST(Coarsen, first_sums_the_splits_other_than_test) {
  auto matrices = four_matrices();
  EXPECT_THAT(coarsen(matrices, 7), HasSubstr("splits other than test are summed"));
  ASSERT_EQ(matrices.size(), 3U);
  EXPECT_EQ(matrices[0].key.step, -1);
  EXPECT_EQ(matrices[0].key.split, "train");
  EXPECT_THAT(matrices[0].known, testing::ElementsAre(1, 2));
  using Cell = std::array<std::int32_t, 3>;
  EXPECT_THAT(matrices[0].cells, testing::ElementsAre(Cell{1, 1, 9}, Cell{2, 0, 3}, Cell{2, 2, 6}));
  EXPECT_EQ(matrices[1].key.step, 1);
}

TEST(Coarsen, then_leaves_them_out_then_sums_test) {
  auto matrices = four_matrices();
  EXPECT_THAT(coarsen(matrices, 4), HasSubstr("only the test split is here."));
  EXPECT_EQ(matrices.size(), 2U);
  matrices = four_matrices();
  EXPECT_THAT(coarsen(matrices, 3), HasSubstr("summed over the increments"));
  ASSERT_EQ(matrices.size(), 1U);
  EXPECT_EQ(matrices[0].key.step, -1);
  EXPECT_EQ(matrices[0].cells.size(), 3U);
}

TEST(CountConfusions, joins_the_batches_of_an_increment) {
  MemoryRecord record(testing_support::tiny_truth());
  record.add(testing_support::tiny_phase({1, "pre", "test", 1}, {{2, "a"}, {3, "unknown"}}));
  Phase second = testing_support::tiny_phase({1, "pre", "test", 2}, {{4, "b"}, {7, "a"}});
  second.known = {"a", "b", "c"};
  record.add(second);
  NameList names;
  Progress quiet;
  const auto matrices = count_confusions(record, 5, names, quiet);
  ASSERT_EQ(matrices.size(), 1U);
  EXPECT_EQ(matrices[0].arm, 5);
  EXPECT_EQ(matrices[0].known.size(), 2U);  // when the first batch came
  Index samples = 0;
  for (const auto& cell : matrices[0].cells) {
    samples += cell[2];
    if (cell[0] == names.of("a")) {
      EXPECT_EQ(cell[1], names.of("a"));
      EXPECT_EQ(cell[2], 2);
    }
  }
  EXPECT_EQ(samples, 4);
}

}  // namespace
}  // namespace tyto
