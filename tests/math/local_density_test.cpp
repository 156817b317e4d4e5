// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/local_density.hpp"

#include <gtest/gtest.h>

namespace tyto {
namespace {

TEST(LocalDensity, of_a_hand_worked_case) {
  // Rows 0, 1, 3, 7; k = 2. Distances to the second neighbour: 3, 2, 3, 6. Mean reach distances:
  // (2 + 3) / 2, (3 + 3) / 2, (2 + 3) / 2, (4 + 6) / 2; densities 0.4, 1/3, 0.4, 0.2.
  const LocalDensity fitted(Matrix{{0}, {1}, {3}, {7}}, 2);
  const Vector factors = fitted.factors(Matrix{{2}, {11}});
  // At 2: neighbours 1 and 3, reach (2 + 3) / 2, their mean density 11/30.
  EXPECT_NEAR(factors[0], 2.5 * 11.0 / 30.0, 1e-6);
  // At 11: neighbours 7 and 3, reach (6 + 8) / 2, their mean density 0.3.
  EXPECT_NEAR(factors[1], 7.0 * 0.3, 1e-6);
}

TEST(LocalDensity, a_row_is_not_its_own_neighbour) {
  // k = 1. Each of 0, 2 has the other at 2: density 1/2. At 0: max(0, 2) / 2 = 1.
  const LocalDensity fitted(Matrix{{0}, {2}}, 1);
  EXPECT_NEAR(fitted.factors(Matrix{{0}})[0], 1.0, 1e-6);
}

TEST(LocalDensity, takes_all_there_are_where_k_is_too_great) {
  // With both others as neighbours of 0, 1, 5: reach 5, 4, 5; mean reach distances (4 + 5) / 2,
  // (5 + 5) / 2, (5 + 4) / 2. At 1 the two nearest are 1 and 0: reach (4 + 5) / 2.
  const LocalDensity fitted(Matrix{{0}, {1}, {5}}, 20);
  EXPECT_NEAR(fitted.factors(Matrix{{1}})[0], 4.5 * (1.0 / 4.5 + 1.0 / 5.0) / 2.0, 1e-6);
}

TEST(LocalDensity, stays_finite_among_equal_rows_and_with_a_single_one) {
  const LocalDensity same(Matrix::Constant(4, 2, 1.0F), 2);
  const Vector factors = same.factors(Matrix{{1, 1}, {2, 1}});
  EXPECT_NEAR(factors[0], 1.0, 1e-5);
  EXPECT_TRUE(std::isfinite(factors[1]));
  EXPECT_GT(factors[1], 1e6F);
  const LocalDensity one(Matrix{{1, 1}}, 2);
  const Vector lonely = one.factors(Matrix{{1, 1}, {4, 5}});
  EXPECT_LT(lonely[0], lonely[1]);
  EXPECT_NEAR(lonely[1], 5.0, 1e-6);
}

}  // namespace
}  // namespace tyto
