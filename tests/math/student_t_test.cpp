// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/student_t.hpp"

#include <gtest/gtest.h>

namespace tyto {
namespace {

TEST(StudentT, has_the_quantiles_of_the_tables) {
  EXPECT_NEAR(student_quantile(0.95, 1), 12.706205, 1e-5);
  EXPECT_NEAR(student_quantile(0.95, 2), 4.302653, 1e-6);
  EXPECT_NEAR(student_quantile(0.95, 4), 2.776445, 1e-6);
  EXPECT_NEAR(student_quantile(0.99, 10), 3.169273, 1e-6);
  EXPECT_NEAR(student_quantile(0.95, 1e7), 1.959964, 1e-5);
}

TEST(StudentT, gives_the_probability_beyond_both_ends) {
  EXPECT_DOUBLE_EQ(student_two_sided(0.0, 3), 1.0);
  EXPECT_NEAR(student_two_sided(1.0, 1), 0.5, 1e-12);  // of Cauchy
  EXPECT_NEAR(student_two_sided(-2.776445, 4), 0.05, 1e-6);
  EXPECT_LT(student_two_sided(1e6, 3), 1e-15);
}

}  // namespace
}  // namespace tyto
