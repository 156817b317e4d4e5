// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/kmeans.hpp"

#include <algorithm>
#include <set>

#include "cluster/group_rows.hpp"
#include "math/random_rows.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::Each;
using testing::ElementsAre;

void expect_sound_centres(const KMeansResult& found, const Matrix& rows, Index given = 0) {
  ASSERT_EQ(std::ssize(found.group), rows.rows());
  std::vector<Index> size(static_cast<std::size_t>(found.centres.rows()), 0);
  double inertia = 0.0;
  for (Index i = 0; i < rows.rows(); ++i) {
    const std::int32_t g = found.group[static_cast<std::size_t>(i)];
    ASSERT_GE(g, 0);
    ASSERT_LT(g, found.centres.rows());
    ++size[static_cast<std::size_t>(g)];
    const float distance = (rows.row(i) - found.centres.row(g)).squaredNorm();
    EXPECT_NEAR(found.distance[i], distance, 1e-4F * (1.0F + distance));
    inertia += static_cast<double>(distance);
  }
  EXPECT_NEAR(found.inertia, inertia, 1e-4 * (1.0 + inertia));
  for (std::size_t g = static_cast<std::size_t>(given); g < size.size(); ++g) {
    EXPECT_GT(size[g], 0);
  }
}

TEST(KMeans, finds_two_pairs_on_a_line) {
  // {0, 1} and {10, 12}: centres 0.5 and 11, inertia 2 * 0.25 + 2 * 1 = 2.5.
  const Matrix rows = toy::column({0, 1, 10, 12});
  KMeansOptions options;
  options.starts = 3;
  const KMeansResult found = k_means(rows, 2, Rng(1), options);
  EXPECT_EQ(found.group[0], found.group[1]);
  EXPECT_EQ(found.group[2], found.group[3]);
  EXPECT_NE(found.group[0], found.group[2]);
  EXPECT_DOUBLE_EQ(found.inertia, 2.5);
  EXPECT_FLOAT_EQ(found.centres(found.group[2], 0), 11.0F);
}

TEST(KMeans, recovers_far_blobs_and_repeats_itself) {
  Rng rng(5);
  const toy::Blobs blobs = toy::make_blobs(rng, 8, 40, 6, 12.0);
  const KMeansResult found = k_means(blobs.rows, 8, Rng(2));
  expect_sound_centres(found, blobs.rows);
  EXPECT_EQ(toy::same_pairs(found.group, blobs.truth), 1.0);
  const KMeansResult again = k_means(blobs.rows, 8, Rng(2));
  EXPECT_EQ(again.group, found.group);
  EXPECT_EQ(again.centres, found.centres);
}

TEST(KMeans, inertia_does_not_rise_with_iterations_or_starts) {
  Rng rng(7);
  const toy::Blobs blobs = toy::make_blobs(rng, 5, 60, 4, 2.0);
  double before = std::numeric_limits<double>::infinity();
  KMeansOptions options;
  options.tolerance = 0.0;
  for (options.iterations = 1; options.iterations < 12; ++options.iterations) {
    const KMeansResult found = k_means(blobs.rows, 9, Rng(3), options);
    expect_sound_centres(found, blobs.rows);
    EXPECT_LE(found.inertia, before * (1.0 + 1e-6));
    before = found.inertia;
  }
  before = std::numeric_limits<double>::infinity();
  for (options.starts = 1; options.starts < 6; ++options.starts) {
    const double inertia = k_means(blobs.rows, 9, Rng(3), options).inertia;
    EXPECT_LE(inertia, before);
    before = inertia;
  }
}

TEST(KMeans, reaches_the_best_of_all_partitions_of_few_rows) {
  Rng rng(11);
  for (int round = 0; round < 20; ++round) {
    const Matrix rows = toy::random_rows(rng, 7, 2);
    double least = std::numeric_limits<double>::infinity();
    for (int code = 0; code < 2187; ++code) {  // 3^7 ways
      Matrix sum = Matrix::Zero(3, 2);
      Vector size = Vector::Zero(3);
      double squares = 0.0;
      for (Index i = 0, rest = code; i < 7; ++i, rest /= 3) {
        sum.row(rest % 3) += rows.row(i);
        size[rest % 3] += 1.0F;
        squares += static_cast<double>(rows.row(i).squaredNorm());
      }
      for (Index g = 0; g < 3; ++g) {
        squares -= static_cast<double>(sum.row(g).squaredNorm() / std::max(size[g], 1.0F));
      }
      least = std::min(least, squares);
    }
    KMeansOptions options;
    options.starts = 20;
    options.tolerance = 0.0;
    EXPECT_NEAR(k_means(rows, 3, Rng(4), options).inertia, least, 1e-4);
  }
}

TEST(KMeans, gives_fewer_groups_where_rows_are_few_or_equal) {
  EXPECT_EQ(k_means(toy::column({1, 2, 3}), 9, Rng(1)).centres.rows(), 3);
  EXPECT_EQ(k_means(toy::column({4}), 3, Rng(1)).centres.rows(), 1);
  const KMeansResult equal = k_means(Matrix::Constant(6, 3, 0.7F), 3, Rng(1));
  EXPECT_EQ(equal.centres.rows(), 1);
  EXPECT_THAT(equal.group, Each(0));
  EXPECT_EQ(equal.inertia, 0.0);
  const KMeansResult twice = k_means(toy::column({5, 1, 5, 1, 1}), 4, Rng(1));
  EXPECT_EQ(twice.centres.rows(), 2);
  EXPECT_EQ(twice.inertia, 0.0);
  EXPECT_TRUE(k_means(Matrix(0, 3), 2, Rng(1)).group.empty());
}

TEST(KMeans, keeps_fixed_centres_where_they_are) {
  Matrix fixed = toy::column({0, 1000});  // nothing lies near the second
  KMeansOptions options;
  options.fixed = &fixed;
  const KMeansResult found = k_means(toy::column({1, 2, 20, 22}), 3, Rng(1), options);
  ASSERT_EQ(found.centres.rows(), 3);
  EXPECT_EQ(found.centres(0, 0), 0.0F);
  EXPECT_EQ(found.centres(1, 0), 1000.0F);
  EXPECT_EQ(found.centres(2, 0), 21.0F);
  EXPECT_THAT(found.group, ElementsAre(0, 0, 2, 2));
}

TEST(KMeans, never_moves_a_pinned_row) {
  // Row 3 is pinned to group 0 although it lies at 22; the mean of 0, 1 and 22 is 23 / 3.
  const std::vector<std::int32_t> pinned{0, -1, 1, 0, -1};
  KMeansOptions options;
  options.pinned = pinned;
  const KMeansResult found = k_means(toy::column({0, 1, 20, 22, 21}), 2, Rng(1), options);
  EXPECT_THAT(found.group, ElementsAre(0, 0, 1, 0, 1));
  EXPECT_FLOAT_EQ(found.centres(0, 0), 23.0F / 3.0F);
  EXPECT_FLOAT_EQ(found.centres(1, 0), 20.5F);
}

TEST(KMeans, fills_an_emptied_group_at_the_furthest_row) {
  // Group 0 starts at the mean of its pinned rows, 5; every free row has a centre of its own in the
  // end, since four groups are asked for and four places are left.
  const std::vector<std::int32_t> pinned{0, 0, -1, -1, -1};
  KMeansOptions options;
  options.pinned = pinned;
  options.tolerance = 0.0;
  const KMeansResult found = k_means(toy::column({0, 10, 30, 50, 90}), 4, Rng(1), options);
  EXPECT_EQ(std::set<std::int32_t>(found.group.begin(), found.group.end()).size(), 4U);
  EXPECT_DOUBLE_EQ(found.inertia, 50.0);
}

TEST(KMeans, draws_the_same_centres_whether_bytes_rule_out_or_not) {
  // Bytes are for rows of 64 columns and more: four columns of zeros change no distance.
  const Matrix narrow = random_rows(1500, 60, 7);
  Matrix wide = Matrix::Zero(1500, 64);
  wide.leftCols(60) = narrow;
  const KMeansResult by_floats = k_means(narrow, 50, Rng(4));
  const KMeansResult by_bytes = k_means(wide, 50, Rng(4));
  EXPECT_EQ(by_floats.group, by_bytes.group);
  EXPECT_EQ(by_floats.distance, by_bytes.distance);
}

}  // namespace
}  // namespace tyto
