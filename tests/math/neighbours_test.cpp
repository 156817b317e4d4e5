// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/neighbours.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "math/random_rows.hpp"
#include <gtest/gtest.h>

#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"

namespace tyto {
namespace {

TEST(SquaredDistances, of_a_hand_worked_case) {
  Matrix a(2, 2);
  a << 0, 0, 3, 4;
  Matrix b(3, 2);
  b << 0, 0, 0, 4, 6, 8;
  Matrix expected(2, 3);
  expected << 0, 16, 100, 25, 9, 25;  // (3,4): 9+16; 9+0; 9+16
  EXPECT_EQ(squared_distances(a, b), expected);
  EXPECT_EQ(squared_distance(&a(1, 0), &b(1, 0), 2), 9.0F);
}

TEST(SquaredDistances, agree_with_the_direct_sum_in_double) {
  const Matrix a = random_rows(37, 129, 1);
  const Matrix b = random_rows(53, 129, 2);
  const Matrix fast = squared_distances(a, b);
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < b.rows(); ++j) {
      const double direct = (a.row(i).cast<double>() - b.row(j).cast<double>()).squaredNorm();
      EXPECT_NEAR(static_cast<double>(fast(i, j)), direct, 1e-3);
      EXPECT_NEAR(static_cast<double>(squared_distance(&a(i, 0), &b(j, 0), 129)), direct, 1e-3);
    }
  }
}

Neighbours brute_force_neighbours(const Matrix& queries, const Matrix& references, Index k) {
  const Index columns = std::min(k, references.rows());
  Neighbours out{Dense<std::int32_t>(queries.rows(), columns), Matrix(queries.rows(), columns)};
  for (Index i = 0; i < queries.rows(); ++i) {
    std::vector<std::pair<float, std::int32_t>> all;
    for (Index j = 0; j < references.rows(); ++j) {
      all.emplace_back(squared_distance(&queries(i, 0), &references(j, 0), queries.cols()),
                       static_cast<std::int32_t>(j));
    }
    std::sort(all.begin(), all.end());
    for (Index c = 0; c < columns; ++c) {
      std::tie(out.distance(i, c), out.row(i, c)) = all[static_cast<std::size_t>(c)];
    }
  }
  return out;
}

TEST(NearestK, equals_brute_force_bit_for_bit_whatever_the_blocks) {
  for (const double mean : {0.0, 30.0}) {  // far from the origin the product form is imprecise
    const Matrix queries = random_rows(83, 33, 3, mean);
    Matrix references = random_rows(3001, 33, 4, mean);
    references.bottomRows(500) = references.topRows(500);  // duplicates: ties
    const Neighbours slow = brute_force_neighbours(queries, references, 7);
    const Neighbours whole = nearest_rows(queries, references, 7);
    EXPECT_EQ(whole.row, slow.row);
    EXPECT_EQ(whole.distance, slow.distance);

    NearestK pieces(queries, 7);  // later block first
    pieces.add(references.bottomRows(1000), 2001);
    pieces.add(references.middleRows(1, 2000), 1);
    pieces.add(references.topRows(1), 0);
    EXPECT_EQ(pieces.result().row, slow.row);
    EXPECT_EQ(pieces.result().distance, slow.distance);

    const Neighbours single = nearest_rows(queries.middleRows(41, 1), references, 7);
    EXPECT_EQ(single.row, slow.row.row(41));
    EXPECT_EQ(single.distance, slow.distance.row(41));
  }
}

TEST(NearestK, does_not_depend_on_the_number_of_threads) {
  const Matrix queries = random_rows(600, 64, 5);
  const Matrix references = random_rows(2500, 64, 6);
  const int threads = thread_count();
  set_thread_count(1);
  const Neighbours one = nearest_rows(queries, references, 3);
  set_thread_count(2);
  const Neighbours two = nearest_rows(queries, references, 3);
  set_thread_count(threads);
  EXPECT_EQ(one.row, two.row);
  EXPECT_EQ(one.distance, two.distance);
}

TEST(NearestK, gives_ties_to_the_lower_row) {
  const Matrix query = Matrix::Zero(1, 4);
  const Matrix same = Matrix::Ones(40, 4);
  const Neighbours found = nearest_rows(query, same, 3);
  EXPECT_EQ(found.row(0, 0), 0);
  EXPECT_EQ(found.row(0, 1), 1);
  EXPECT_EQ(found.row(0, 2), 2);
  EXPECT_EQ(found.distance(0, 2), 4.0F);
}

TEST(NearestK, gives_fewer_columns_than_k_when_there_are_fewer_rows) {
  const Neighbours found = nearest_rows(Matrix::Zero(2, 3), Matrix::Ones(2, 3), 5);
  EXPECT_EQ(found.row.cols(), 2);
  const NearestK empty(Matrix::Zero(2, 3), 5);
  EXPECT_EQ(empty.result().row.cols(), 0);
  EXPECT_EQ(empty.result().row.rows(), 2);
}

}  // namespace
}  // namespace tyto
