// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/rough_products.hpp"

#include "math/random_rows.hpp"
#include <gtest/gtest.h>

#include "tyto/math/distances.hpp"
#include "tyto/math/product_bound.hpp"
#include "tyto/math/reference_rows.hpp"

namespace tyto {
namespace {

// Rows that bytes tell badly: a far column, a zero row, rows of very different lengths.
Matrix awkward_rows(Index n, Index d, std::uint64_t seed) {
  Matrix rows = random_rows(n, d, seed);
  rows.col(3).array() *= 40.0F;
  rows.row(1).setZero();
  rows.row(2) *= 1e-30F;
  rows.row(3) *= 1000.0F;
  rows.row(4).setConstant(1e-42F);  // no normal number
  return rows;
}

TEST(RoughProducts, bound_what_the_products_are) {
  if (!rough_products_pay(70)) {
    GTEST_SKIP() << "this processor does not multiply bytes";
  }
  const Matrix queries = awkward_rows(13, 70, 1);  // neither eights nor fours
  const Matrix references = awkward_rows(101, 70, 2);
  const RoughQueries rough_queries(queries);
  const RoughReferences rough_references(references);
  RoughProducts products;
  std::vector<float> least(101);
  for (Index q = 0; q < queries.rows(); ++q) {
    if (q % RoughProducts::kQueries == 0) {
      products.multiply(rough_queries, q, rough_references, 0, references.rows());
    }
    products.bounds(q % RoughProducts::kQueries, least.data());
    for (Index r = 0; r < references.rows(); ++r) {
      const double norm = references.row(r).cast<double>().squaredNorm();
      const double is =
          norm - 2.0 * queries.row(q).cast<double>().dot(references.row(r).cast<double>());
      const double slack = static_cast<double>(product_rounding_share(70)) *
                               (norm + queries.row(q).cast<double>().squaredNorm()) +
                           1e-40;  // floats end there
      EXPECT_LE(static_cast<double>(least[at(r)]), is + slack) << q << " " << r;
    }
    unsigned near = 0;  // the first of the sixteen that holds the least
    const auto lowest = std::min_element(least.begin(), least.end()) - least.begin();
    const Index chunk =
        products.first_near(q % RoughProducts::kQueries, 0, least[at(lowest)], near);
    EXPECT_EQ(chunk, lowest / 16 * 16);
    EXPECT_NE(near & (1U << static_cast<unsigned>(lowest % 16)), 0U);
  }
}

TEST(RoughProducts, are_close_for_even_rows) {
  if (!rough_products_pay(256)) {
    GTEST_SKIP() << "this processor does not multiply bytes";
  }
  const Matrix rows = random_rows(64, 256, 1);
  const RoughQueries queries(rows);
  const RoughReferences references(rows);
  RoughProducts products;
  products.multiply(queries, 8, references, 48, 16);
  std::vector<float> least(16);
  products.bounds(3, least.data());
  for (Index r = 0; r < 16; ++r) {
    const float is = rows.row(48 + r).squaredNorm() - 2.0F * rows.row(11).dot(rows.row(48 + r));
    EXPECT_LT(is - least[at(r)], 0.06F * 256.0F);
  }
}

TEST(ReferenceRows, give_the_neighbours_of_a_plain_search_bit_for_bit) {
  for (const double mean : {0.0, 30.0}) {
    const Matrix queries = random_rows(203, 96, 3, mean);
    Matrix rows = random_rows(2001, 96, 4, mean);
    rows.bottomRows(500) = rows.topRows(500);  // ties
    rows.row(7) = queries.row(7);
    NearestK few(queries.topRows(5), 9);  // too few for bytes
    few.add(rows, 0);
    const Neighbours by_bytes = nearest_rows(queries, rows, 9);
    const Neighbours ready = nearest_rows(queries, ReferenceRows(rows), 9);
    EXPECT_EQ(by_bytes.row.topRows(5), few.result().row);
    EXPECT_EQ(by_bytes.distance.topRows(5), few.result().distance);
    EXPECT_EQ(ready.row, by_bytes.row);
    EXPECT_EQ(ready.distance, by_bytes.distance);
    for (Index i = 0; i < queries.rows(); i += 40) {  // one by one, without bytes
      const Neighbours one = nearest_rows(queries.middleRows(i, 1), rows, 9);
      EXPECT_EQ(one.row, by_bytes.row.row(i));
      EXPECT_EQ(one.distance, by_bytes.distance.row(i));
    }
  }
  EXPECT_EQ(
      nearest_rows(Matrix(random_rows(3, 4, 1)), ReferenceRows(random_rows(2, 4, 2)), 5).row.cols(),
      2);
}

TEST(ReferenceRows, awkward_ones_are_found_too) {
  const Matrix queries = awkward_rows(150, 64, 5);
  const Matrix rows = awkward_rows(1700, 64, 6);
  const Neighbours found = nearest_rows(queries, ReferenceRows(rows), 3);
  for (Index i = 0; i < queries.rows(); i += 7) {
    const Neighbours one = nearest_rows(queries.middleRows(i, 1), rows, 3);
    EXPECT_EQ(one.row, found.row.row(i)) << i;
    EXPECT_EQ(one.distance, found.distance.row(i)) << i;
  }
}

}  // namespace
}  // namespace tyto
