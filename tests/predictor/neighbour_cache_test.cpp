// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/neighbour_cache.hpp"

#include "math/random_rows.hpp"
#include <gtest/gtest.h>

namespace tyto {
namespace {

TEST(NeighbourCache, answers_as_a_search_and_searches_each_row_once) {
  const Matrix references = random_rows(300, 5, 1);
  const Matrix queries = random_rows(100, 5, 2);
  const Neighbours plain = nearest_rows(queries, references, 4);
  NeighbourCache cache;
  Index searched = 0;
  const auto search = [&](const Matrix& rows) {
    searched += rows.rows();
    return nearest_rows(rows, references, 4);
  };
  const Neighbours first = cache.remembered(queries.topRows(60), search);
  const Neighbours all = cache.remembered(queries, search);
  EXPECT_EQ(searched, 100);
  EXPECT_EQ(first.row, plain.row.topRows(60));
  EXPECT_EQ(all.row, plain.row);
  EXPECT_EQ(all.distance, plain.distance);
  cache.forget();
  EXPECT_EQ(cache.remembered(queries, search).row, plain.row);
  EXPECT_EQ(searched, 200);
}

TEST(NeighbourCache, equal_rows_in_one_batch_are_both_answered) {
  const Matrix references = random_rows(20, 3, 1);
  Matrix queries = random_rows(4, 3, 2);
  queries.row(3) = queries.row(0);
  NeighbourCache cache;
  const auto search = [&](const Matrix& rows) { return nearest_rows(rows, references, 2); };
  (void)cache.remembered(queries.topRows(2), search);
  EXPECT_EQ(cache.remembered(queries, search).row, nearest_rows(queries, references, 2).row);
}

TEST(NeighbourCache, keeps_the_last_batch) {
  const Matrix rows = random_rows(50, 3, 1);
  NeighbourCache cache;
  int searches = 0;
  const auto search = [&](const Matrix& batch) {
    ++searches;
    return nearest_rows(batch, batch, 3);
  };
  const Neighbours once = cache.batch(rows, search);
  EXPECT_EQ(cache.batch(rows, search).row, once.row);
  EXPECT_EQ(searches, 1);
  (void)cache.batch(rows.topRows(49), search);
  EXPECT_EQ(searches, 2);
}

}  // namespace
}  // namespace tyto
