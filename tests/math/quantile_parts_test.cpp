// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/quantile_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"

namespace tyto {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

TEST(EqualCountParts, cuts_by_rank) {
  // Ascending: 1 2 3 4 5 6 7; ranks 0..6 times 3 / 7 are 0 0 0 1 1 2 2.
  const std::vector<double> values{7, 1, 4, 2, 6, 3, 5};
  EXPECT_EQ(equal_count_parts(values, 3), (std::vector<Index>{2, 0, 1, 0, 2, 0, 1}));
}

TEST(EqualCountParts, leaves_out_what_is_missing_and_takes_ties_in_their_order) {
  // Four values are left, 5 5 5 9: ranks 0 1 | 2 3.
  const std::vector<double> values{5, kMissing, 9, 5, 5};
  EXPECT_EQ(equal_count_parts(values, 2), (std::vector<Index>{0, -1, 1, 0, 1}));
}

TEST(EqualCountParts, takes_few_values_or_none) {
  EXPECT_TRUE(equal_count_parts({}, 3).empty());
  EXPECT_EQ(equal_count_parts(std::vector<double>{kMissing}, 3), std::vector<Index>{-1});
  EXPECT_EQ(equal_count_parts(std::vector<double>{2, 1}, 3), (std::vector<Index>{1, 0}));
  EXPECT_THROW(equal_count_parts({}, 0), Error);
}

TEST(EqualCountParts, is_even_and_ordered_on_random_values) {
  Rng rng(7, "parts");
  for (Index parts = 1; parts < 6; ++parts) {
    std::vector<double> values;
    for (Index i = 0; i < 200 + parts; ++i) {
      values.push_back(rng.below(5) == 0 ? kMissing : static_cast<double>(rng.below(30)));
    }
    const auto part = equal_count_parts(values, parts);
    std::vector<Index> size(static_cast<std::size_t>(parts));
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(part[i] == -1, std::isnan(values[i]));
      if (part[i] >= 0) {
        ++size[static_cast<std::size_t>(part[i])];
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (values[j] < values[i] || values[j] == values[i]) {
          ASSERT_LE(part[j], part[i]);
        }
      }
    }
    const auto [low, high] = std::minmax_element(size.begin(), size.end());
    EXPECT_LE(*high - *low, 1);
  }
}

}  // namespace
}  // namespace tyto
