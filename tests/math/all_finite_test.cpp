// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/all_finite.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace tyto {
namespace {

TEST(AllFinite, finds_one_value_that_is_no_number_wherever_it_stands) {
  using Limits = std::numeric_limits<float>;
  Matrix values = Matrix::Random(7, 19);
  values(0, 0) = Limits::max();
  values(0, 1) = Limits::lowest();
  values(0, 2) = Limits::denorm_min();
  values(0, 3) = -0.0F;
  EXPECT_TRUE(all_finite(values));
  EXPECT_TRUE(all_finite(Matrix(0, 5)));
  for (const float bad :
       {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), -Limits::signaling_NaN()}) {
    for (Index i = 0; i < values.size(); ++i) {
      const float was = std::exchange(values.data()[i], bad);
      EXPECT_FALSE(all_finite(values));
      EXPECT_EQ(all_finite(values.leftCols(9)), i % 19 >= 9);  // rows with a gap between them
      values.data()[i] = was;
    }
  }
}

}  // namespace
}  // namespace tyto
