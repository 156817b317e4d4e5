// SPDX-License-Identifier: Apache-2.0
// Methods that learn a head or a space: simgcd, pim, gcd_contrastive.
#include <cmath>

#include "cluster/group_rows.hpp"
#include "cluster/toy_cluster.hpp"
#include <gtest/gtest.h>

#include "tyto/cluster/contrast.hpp"
#include "tyto/math/unit_rows.hpp"

namespace tyto {
namespace {

class LearnedGroups : public testing::TestWithParam<std::string> {};

TEST_P(LearnedGroups, finds_new_blobs_beside_labelled_ones_and_repeats_itself) {
  Rng rng(6);
  const toy::Blobs blobs = toy::make_blobs(rng, 6, 40, 8, 6.0);
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < blobs.truth.size(); ++i) {
    labels.push_back(blobs.truth[i] < 3 && i % 2 == 0 ? 10 - blobs.truth[i] : -1);
  }
  const Partitions found = toy::cluster_by(GetParam(), {{"groups", "6"}}, {blobs.rows, labels});
  EXPECT_GT(toy::same_pairs(toy::chosen(found), blobs.truth), 0.97);
  EXPECT_EQ(toy::cluster_by(GetParam(), {{"groups", "6"}}, {blobs.rows, labels}).levels,
            found.levels);
  ASSERT_TRUE(found.scores.has_value());
  const Matrix scores = found.scores->of(blobs.rows);
  EXPECT_EQ(scores.cols(), toy::count_groups(toy::chosen(found)));
  Index same = 0;
  for (Index i = 0; i < scores.rows(); ++i) {
    Index best = 0;
    scores.row(i).maxCoeff(&best);
    same += best == toy::chosen(found)[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  EXPECT_GE(same, scores.rows() - 2);  // labelled rows stay where they belong whatever the score
}

TEST_P(LearnedGroups, answers_with_one_class_alone_and_without_free_rows) {
  Rng rng(7);
  const Matrix rows = toy::random_rows(rng, 12, 3);
  const std::vector<std::int32_t> one(12, 4);
  EXPECT_EQ(toy::count_groups(toy::chosen(toy::cluster_by(GetParam(), {}, {rows, one}))), 1);
  std::vector<std::int32_t> half(12, -1);
  std::fill_n(half.begin(), 6, 4);
  const Partitions found = toy::cluster_by(GetParam(), {{"groups", "40"}}, {rows, half});
  EXPECT_LE(toy::count_groups(toy::chosen(found)), 12);
  EXPECT_FALSE(found.notes.empty());
}

INSTANTIATE_TEST_SUITE_P(All, LearnedGroups, testing::Values("simgcd", "pim", "gcd_contrastive"),
                         [](const auto& name) { return name.param; });

TEST(ContrastLoss, gradients_are_the_differences_of_its_value) {
  Rng rng(5);
  const Matrix one = unit_rows(toy::random_rows(rng, 6, 3));
  const Matrix two = unit_rows(toy::random_rows(rng, 6, 3));
  const std::vector<std::int32_t> labels{0, 0, 1, -1, 1, 2};
  const ContrastLoss loss = contrast_loss(one, two, labels, 0.35, 0.5);
  constexpr float kStep = 1e-2F;
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 3; ++j) {
      const auto difference = [&](bool first) {
        Matrix low = first ? one : two;
        Matrix high = low;
        low(i, j) -= kStep;
        high(i, j) += kStep;
        const double above = first ? contrast_loss(high, two, labels, 0.35, 0.5).value
                                   : contrast_loss(one, high, labels, 0.35, 0.5).value;
        const double below = first ? contrast_loss(low, two, labels, 0.35, 0.5).value
                                   : contrast_loss(one, low, labels, 0.35, 0.5).value;
        return (above - below) / (2.0 * static_cast<double>(kStep));
      };
      EXPECT_NEAR(static_cast<double>(loss.by_one(i, j)), difference(true), 2e-3);
      EXPECT_NEAR(static_cast<double>(loss.by_two(i, j)), difference(false), 2e-3);
    }
  }
}

TEST(ContrastLoss, of_three_rows_by_hand) {
  // Rows e1, e1, e2 seen twice alike, temperature 1, no labels. Row 0: ln(e^1 + e^0) - 1, row 1 the
  // same, row 2: ln(2 e^0) - 1; the mean.
  Matrix rows(3, 2);
  rows << 1, 0, 1, 0, 0, 1;
  const std::vector<std::int32_t> none(3, -1);
  const double expected = (2.0 * (std::log(std::exp(1.0) + 1.0) - 1.0) + std::log(2.0) - 1.0) / 3.0;
  EXPECT_NEAR(contrast_loss(rows, rows, none, 0.0, 1.0).value, expected, 1e-6);
  // Labelled rows 0 and 1 of one class: each ln(e^1) - 1 = 0 among the labelled ones.
  const std::vector<std::int32_t> pair{3, 3, -1};
  EXPECT_NEAR(contrast_loss(rows, rows, pair, 1.0, 1.0).value, 0.0, 1e-6);
}

TEST(RowViews, are_the_same_for_a_row_whatever_the_batch) {
  Rng rng(3);
  const Matrix rows = toy::random_rows(rng, 10, 5);
  Progress progress;
  Work work{Rng(1), progress};
  const RowViews views(rows, {3, 0.1, 0.2}, work);
  const std::vector<Index> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<Index> some{7, 2};
  const Matrix whole = views.draw(all, 4);
  const Matrix part = views.draw(some, 4);
  // To rounding: the sum behind a length hangs on where in memory a row begins.
  EXPECT_TRUE(part.row(0).isApprox(whole.row(7), 1e-6F));
  EXPECT_TRUE(part.row(1).isApprox(whole.row(2), 1e-6F));
  EXPECT_NE(views.draw(all, 5), whole);
  const RowViews plain(rows, {0, 0.0, 0.0}, work);
  EXPECT_TRUE(plain.draw(all, 1).isApprox(unit_rows(rows), 1e-6F));
}

}  // namespace
}  // namespace tyto
