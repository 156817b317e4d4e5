// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/first_neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "math/random_rows.hpp"
#include <gtest/gtest.h>

#include "tyto/cluster/approximate.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {
namespace {

template <class T>
FirstNeighbours first_by_measuring_all(const RowDistance<T>& distance) {
  FirstNeighbours out;
  for (Index i = 0; i < distance.rows(); ++i) {
    std::int32_t row = -1;
    double least = 0.0;
    for (Index j = 0; j < distance.rows(); ++j) {
      if (j != i && (row < 0 || distance(i, j) < least)) {
        row = static_cast<std::int32_t>(j);
        least = distance(i, j);
      }
    }
    out.row.push_back(row);
    out.distance.push_back(least);
  }
  return out;
}

template <class T>
void expect_first_neighbours_equal_brute_force(const Dense<T>& rows, Metric metric) {
  const RowDistance<T> distance(rows, metric);
  const FirstNeighbours slow = first_by_measuring_all(distance);
  const FirstNeighbours fast = first_neighbours(distance);
  EXPECT_EQ(fast.row, slow.row);
  EXPECT_EQ(fast.distance, slow.distance);
}

Matrix small_whole_numbers(Index n, Index d, std::uint64_t seed) {  // many ties
  Rng rng(seed, "whole");
  Matrix out(n, d);
  for (Index i = 0; i < out.size(); ++i) {
    out.data()[i] = static_cast<float>(rng.below(3)) - 1.0F;
  }
  return out;
}

TEST(RowDistance, of_hand_worked_rows) {
  Matrix rows(4, 2);
  rows << 3, 4, 0, 5, 0, 0, 6, 8;
  const RowDistance<float> euclidean(rows, Metric::euclidean);
  EXPECT_FLOAT_EQ(static_cast<float>(euclidean(0, 1)), std::sqrt(10.0F));  // 9 + 1
  const RowDistance<float> manhattan(rows, Metric::manhattan);
  EXPECT_EQ(manhattan(0, 1), 4.0);  // 3 + 1
  const RowDistance<float> cosine(rows, Metric::cosine);
  EXPECT_NEAR(cosine(0, 1), 0.2, 1e-7);  // 1 - 20 / (5 x 5)
  EXPECT_NEAR(cosine(0, 3), 0.0, 1e-15);
  EXPECT_EQ(cosine(2, 0), 1.0);  // a zero row
  EXPECT_EQ(cosine(0, 2), 1.0);
  const RowDistance<float> timed(rows, Metric::manhattan, true);
  EXPECT_EQ(timed(0, 3), 12.0);  // |3 - 6| x |4 - 8|
}

TEST(RowDistance, is_exactly_0_for_equal_rows_and_the_same_both_ways) {
  Matrix rows = random_rows(40, 37, 1);
  rows.bottomRows(20) = rows.topRows(20);
  const Dense<double> precise = rows.cast<double>() / 3.0;
  const RowDistance<double> distance(precise, Metric::cosine);
  for (Index i = 0; i < 20; ++i) {
    EXPECT_EQ(distance(i, i + 20), 0.0);
    for (Index j = 0; j < 40; ++j) {
      EXPECT_EQ(distance(i, j), distance(j, i));
    }
  }
}

TEST(FirstNeighbours, equal_brute_force_bit_for_bit) {
  for (const Metric metric : {Metric::cosine, Metric::euclidean, Metric::manhattan}) {
    for (const double mean : {0.0, 30.0}) {  // far from the origin products are imprecise
      Matrix rows = random_rows(1300, 19, 2, mean);
      rows.bottomRows(200) = rows.topRows(200);
      rows.row(77).setZero();
      rows.row(0).setZero();
      expect_first_neighbours_equal_brute_force<float>(rows, metric);
      expect_first_neighbours_equal_brute_force<double>(rows.cast<double>() / 3.0, metric);
    }
    expect_first_neighbours_equal_brute_force<float>(small_whole_numbers(1100, 6, 3), metric);
    expect_first_neighbours_equal_brute_force<float>(random_rows(600, 5, 4) * 1e-22F, metric);
    expect_first_neighbours_equal_brute_force<float>(random_rows(600, 5, 5) * 1e30F, metric);
  }
}

TEST(FirstNeighbours, by_bytes_equal_brute_force_bit_for_bit) {  // wide enough for them
  for (const Metric metric : {Metric::cosine, Metric::euclidean}) {
    Matrix rows = random_rows(1100, 81, 7, 3.0);
    rows.bottomRows(100) = rows.topRows(100);  // ties across blocks
    rows.row(5).setZero();
    rows.row(700).setZero();
    rows.row(9) *= 1e-20F;
    expect_first_neighbours_equal_brute_force<float>(rows, metric);
    expect_first_neighbours_equal_brute_force<double>(rows.cast<double>() / 3.0, metric);
  }
}

// A column beyond all others leaves nothing of them in a byte, so that floats have to follow.
TEST(FirstNeighbours, where_bytes_rule_out_nothing_equal_brute_force) {
  Matrix rows = random_rows(3400, 64, 8);
  for (Index i = 0; i < rows.rows(); ++i) {
    rows(i, 0) = i % 2 == 0 ? 30.0F : -30.0F;
  }
  expect_first_neighbours_equal_brute_force<float>(rows, Metric::euclidean);
}

TEST(FirstNeighbours, give_ties_to_the_lower_row) {
  Matrix rows(5, 1);
  rows << 2, 1, 3, 2, 9;
  const RowDistance<float> distance(rows, Metric::euclidean);
  const FirstNeighbours found = first_neighbours(distance);
  EXPECT_EQ(found.row, (std::vector<std::int32_t>{3, 0, 0, 0, 2}));
  EXPECT_EQ(found.distance, (std::vector<double>{0, 1, 1, 0, 6}));
}

TEST(FirstNeighbours, of_equal_rows_are_the_first_two) {
  const Matrix rows = Matrix::Constant(4000, 4, 0.7F);
  for (const Metric metric : {Metric::cosine, Metric::euclidean, Metric::manhattan}) {
    const FirstNeighbours found = first_neighbours(RowDistance<float>(rows, metric));
    EXPECT_EQ(found.row[0], 1);
    EXPECT_TRUE(std::all_of(found.row.begin() + 1, found.row.end(),
                            [](std::int32_t row) { return row == 0; }));
    EXPECT_EQ(*std::max_element(found.distance.begin(), found.distance.end()), 0.0);
  }
}

TEST(FirstNeighbours, of_zero_rows_are_the_first_two_in_cosine) {
  Matrix rows = random_rows(1500, 3, 6);
  rows.bottomRows(1000).setZero();
  const FirstNeighbours found = first_neighbours(RowDistance<float>(rows, Metric::cosine));
  for (std::size_t i = 500; i < 1500; ++i) {
    EXPECT_EQ(found.row[i], 0);
    EXPECT_EQ(found.distance[i], 1.0);
  }
}

TEST(FirstNeighbours, of_one_row_are_none) {
  const Matrix rows = Matrix::Ones(1, 3);
  for (const Metric metric : {Metric::cosine, Metric::manhattan}) {
    EXPECT_EQ(first_neighbours(RowDistance<float>(rows, metric)).row,
              std::vector<std::int32_t>{-1});
  }
}

TEST(FirstNeighbours, do_not_depend_on_the_number_of_threads) {
  const Matrix rows = random_rows(2100, 40, 7);
  const RowDistance<float> distance(rows, Metric::cosine);
  const int threads = thread_count();
  set_thread_count(1);
  const FirstNeighbours one = first_neighbours(distance);
  set_thread_count(3);
  const FirstNeighbours three = first_neighbours(distance);
  set_thread_count(threads);
  EXPECT_EQ(one.row, three.row);
  EXPECT_EQ(one.distance, three.distance);
}

TEST(FirstNeighbours, end_where_the_pulse_throws) {
  const Matrix rows = random_rows(3000, 8, 8);
  for (const Metric metric : {Metric::cosine, Metric::manhattan}) {
    EXPECT_THROW(first_neighbours(RowDistance<float>(rows, metric),
                                  [](double) { throw std::runtime_error("enough"); }),
                 std::runtime_error);
  }
}

// Noise has no groups to put into lists; of a thousand rows every one is judged.
TEST(ApproximateNeighbours, tell_how_many_of_them_are_the_nearest) {
  const Matrix rows = random_rows(1000, 24, 10);
  for (const Metric metric : {Metric::cosine, Metric::euclidean}) {
    const ApproximateNeighbours found = approximate_neighbours(rows, metric);
    const FirstNeighbours exact = first_neighbours(RowDistance<float>(rows, metric));
    Index right = 0;
    for (std::size_t i = 0; i < exact.row.size(); ++i) {
      EXPECT_GE(found.first.distance[i], exact.distance[i]);
      right += found.first.row[i] == exact.row[i] ? 1 : 0;
    }
    EXPECT_EQ(found.sample, 1000);
    EXPECT_EQ(found.recall, static_cast<double>(right) / 1000.0);
    EXPECT_GT(found.recall, 0.98);
    EXPECT_EQ(found.first.row, approximate_neighbours(rows, metric).first.row);
  }
}

TEST(FarthestPair, equals_brute_force) {
  for (const Metric metric : {Metric::cosine, Metric::euclidean, Metric::manhattan}) {
    for (const bool whole : {false, true}) {
      const Matrix rows = whole ? small_whole_numbers(1500, 4, 9) : random_rows(1500, 4, 9, 10.0);
      const RowDistance<float> distance(rows, metric);
      std::vector<std::int32_t> these;
      for (std::int32_t i = 1; i < 1500; i += whole ? 3 : 1) {
        these.push_back(i);
      }
      double most = 0.0;
      for (const std::int32_t i : these) {
        for (const std::int32_t j : these) {
          most = std::max(most, i == j ? 0.0 : distance(i, j));
        }
      }
      EXPECT_EQ(farthest_pair(distance, these, 0.0), most);
      EXPECT_EQ(farthest_pair(distance, these, 1e6), 1e6);
    }
  }
}

}  // namespace
}  // namespace tyto
