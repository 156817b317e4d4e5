// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/map/neighbour_embedding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "math/random_rows.hpp"
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"
#include "tyto/math/neighbours.hpp"
#include "tyto/report/page/map/principal_scores.hpp"

namespace tyto {
namespace {

// Venna and Kaski (2001): 1 - 2 / (n k (2 n - 3 k - 1)) times the sum, over the k neighbours in the
// plane that are none in the rows, of how far beyond k their rank in the rows is.
double trustworthiness(const Matrix& rows, const Matrix& plane, Index k) {
  const Index n = rows.rows();
  const auto ranked = [&](const Matrix& at, Index i) {
    std::vector<std::pair<float, Index>> all;
    for (Index j = 0; j < n; ++j) {
      if (j != i) {
        all.emplace_back(squared_distance(&at(i, 0), &at(j, 0), at.cols()), j);
      }
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  double beyond = 0.0;
  for (Index i = 0; i < n; ++i) {
    const auto far = ranked(rows, i);
    std::vector<Index> rank(static_cast<std::size_t>(n), 0);
    for (std::size_t r = 0; r < far.size(); ++r) {
      rank[static_cast<std::size_t>(far[r].second)] = static_cast<Index>(r) + 1;
    }
    const auto near = ranked(plane, i);
    for (Index c = 0; c < k; ++c) {
      const Index of = rank[static_cast<std::size_t>(near[static_cast<std::size_t>(c)].second)];
      beyond += static_cast<double>(std::max<Index>(0, of - k));
    }
  }
  const auto count = static_cast<double>(n);
  const auto kk = static_cast<double>(k);
  return 1.0 - 2.0 * beyond / (count * kk * (2.0 * count - 3.0 * kk - 1.0));
}

Matrix blob_rows(Index blobs, Index each, Index width) {
  const Matrix centres = 6.0F * random_rows(blobs, width, 11);
  Matrix out = random_rows(blobs * each, width, 12);
  for (Index i = 0; i < out.rows(); ++i) {
    out.row(i) += centres.row(i / each);
  }
  return out;
}

Matrix swiss_roll(Index n) {
  Rng rng(5, "roll");
  Matrix out(n, 3);
  for (Index i = 0; i < n; ++i) {
    const double turn = 1.5 * 3.14159265358979 * (1.0 + 2.0 * rng.uniform());
    out.row(i) << static_cast<float>(turn * std::cos(turn)),
        static_cast<float>(20.0 * rng.uniform()), static_cast<float>(turn * std::sin(turn));
  }
  return out;
}

TEST(Trustworthiness, of_a_hand_worked_line) {
  Matrix rows(5, 1);
  rows << 0, 1, 3, 6, 10;
  EXPECT_DOUBLE_EQ(trustworthiness(rows, rows, 1), 1.0);
  // In the plane 0 and 10 are side by side: rank 4 of each other in the rows, 3 beyond 1; the
  // nearest of 1 is 3, which is its second, 1 beyond. 1 - 2 / (5 * 1 * (10 - 3 - 1)) * 7 = 8 / 15.
  Matrix plane(5, 1);
  plane << 100, 1, 2.5, 4.5, 101;
  EXPECT_DOUBLE_EQ(trustworthiness(rows, plane, 1), 8.0 / 15.0);
}

TEST(PrincipalScores, of_a_hand_worked_cross) {
  Matrix rows(4, 2);  // centred already; spread 3 along (1, 1) / sqrt 2, 1 across
  rows << 3, 3, -3, -3, 1, -1, -1, 1;
  const Matrix scores = principal_scores(rows, 3);
  EXPECT_NEAR(std::abs(scores(0, 0)), 3.0 * std::sqrt(2.0), 1e-5);
  EXPECT_FLOAT_EQ(scores(1, 0), -scores(0, 0));
  EXPECT_NEAR(scores(0, 1), 0.0, 1e-5);
  EXPECT_NEAR(std::abs(scores(2, 1)), std::sqrt(2.0), 1e-5);
  EXPECT_EQ(scores.col(2), Vector::Zero(4));  // there is no third direction
}

TEST(PrincipalScores, agree_on_both_sides_and_by_iteration) {
  const Matrix core = random_rows(1030, 3, 1) * Vector{{9, 5, 1}}.asDiagonal();
  const Matrix wide = core * random_rows(3, 1040, 2);  // by iteration: both sides above 1,024
  const Matrix by_iteration = principal_scores(wide, 2);
  const Matrix by_columns = principal_scores(wide.leftCols(200), 2);
  const Matrix by_rows = principal_scores(wide.topRows(100), 2);
  // Distances within the plane are those of all three directions but for the weakest.
  for (const auto& [scores, full] : {std::pair(by_iteration, Matrix(wide)),
                                     {by_columns, Matrix(wide.leftCols(200))},
                                     {by_rows, Matrix(wide.topRows(100))}}) {
    Matrix centred = full;
    centred.rowwise() -= full.colwise().mean().eval();
    const double share = scores.cast<double>().squaredNorm() / centred.cast<double>().squaredNorm();
    EXPECT_GT(share, 0.97);
    EXPECT_LT(share, 0.9999);
    EXPECT_GT(scores.col(0).squaredNorm(), scores.col(1).squaredNorm());
    EXPECT_NEAR(scores.col(0).dot(scores.col(1)) / scores.squaredNorm(), 0.0, 1e-5);
  }
}

TEST(PrincipalScores, are_the_same_at_any_number_of_threads) {
  const int before = thread_count();
  for (const auto& [n, d] : {std::pair<Index, Index>(300, 70), {90, 200}, {1030, 1030}}) {
    const Matrix rows = random_rows(n, d, 3);
    set_thread_count(1);
    const Matrix one = principal_scores(rows, 2);
    set_thread_count(3);
    EXPECT_EQ(principal_scores(rows, 2), one);
  }
  set_thread_count(before);
}

// Of the 10 nearest in the plane, those of another blob.
double share_of_strangers(const Matrix& plane, Index each) {
  const Neighbours near = nearest_rows(plane, plane, 11);
  Index strangers = 0;
  for (Index i = 0; i < plane.rows(); ++i) {
    for (Index c = 0; c < near.row.cols(); ++c) {
      strangers += near.row(i, c) / each != i / each;
    }
  }
  return static_cast<double>(strangers) / static_cast<double>(plane.rows() * 10);
}

TEST(NeighbourEmbedding, keeps_separated_blobs_separated_where_the_principal_plane_does_not) {
  const Index each = 30;
  const Matrix rows = blob_rows(20, each, 40);
  const Matrix plane = neighbour_embedding(rows);
  EXPECT_EQ(share_of_strangers(plane, each), 0.0);
  EXPECT_GT(share_of_strangers(principal_scores(rows, 2), each), 0.05);
  EXPECT_GT(trustworthiness(rows, plane, 10), 0.98);
}

TEST(NeighbourEmbedding, unrolls_better_than_the_principal_plane) {
  const Matrix rows = swiss_roll(700);
  const double by_plane = trustworthiness(rows, neighbour_embedding(rows), 10);
  EXPECT_GT(by_plane, 0.98);
  EXPECT_GT(by_plane, trustworthiness(rows, principal_scores(rows, 2), 10) + 0.04);
}

TEST(NeighbourEmbedding, gives_the_same_bytes_at_any_number_of_threads) {
  const int before = thread_count();
  const Matrix rows = blob_rows(5, 40, 70);
  set_thread_count(1);
  const Matrix one = neighbour_embedding(rows);
  set_thread_count(3);
  EXPECT_EQ(neighbour_embedding(rows), one);
  set_thread_count(before);
  EXPECT_NE(neighbour_embedding(rows, {15, 300, 2}), one);  // another seed
}

TEST(NeighbourEmbedding, has_an_answer_for_none_one_two_and_few_rows) {
  EXPECT_EQ(neighbour_embedding(Matrix(0, 4)).rows(), 0);
  EXPECT_EQ(neighbour_embedding(random_rows(1, 4, 1)), Matrix::Zero(1, 2));
  for (const Index n : {2, 3, 9}) {  // fewer than the 15 neighbours asked for
    const Matrix plane = neighbour_embedding(random_rows(n, 4, 1));
    EXPECT_EQ(plane.rows(), n);
    EXPECT_TRUE(plane.allFinite());
    EXPECT_GT((plane.row(0) - plane.row(1)).norm(), 0.01F);
    EXPECT_NEAR(plane.colwise().sum().norm(), 0.0, 1e-3);
  }
  EXPECT_TRUE(neighbour_embedding(Matrix(3, 0)).allFinite());  // rows without a single value
}

TEST(NeighbourEmbedding, puts_duplicates_near_each_other_and_bears_constant_rows) {
  Matrix rows = blob_rows(4, 30, 8);
  for (Index i = 1; i < 30; ++i) {
    rows.row(i) = rows.row(0);  // more of them than neighbours
  }
  const Matrix plane = neighbour_embedding(rows);
  ASSERT_TRUE(plane.allFinite());
  float within = 0.0F;
  float across = std::numeric_limits<float>::max();
  for (Index i = 0; i < 30; ++i) {
    within = std::max(within, (plane.row(i) - plane.row(0)).norm());
    for (Index j = 30; j < rows.rows(); ++j) {
      across = std::min(across, (plane.row(i) - plane.row(j)).norm());
    }
  }
  EXPECT_LT(within, across * 10.0F);
  EXPECT_GT(across, 0.1F);
  EXPECT_TRUE(neighbour_embedding(Matrix::Constant(50, 3, 7.0F)).allFinite());
}

TEST(NeighbourEmbedding, refuses_what_is_no_number) {
  Matrix rows = random_rows(5, 2, 1);
  rows(3, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(neighbour_embedding(rows), Error);
}

}  // namespace
}  // namespace tyto
