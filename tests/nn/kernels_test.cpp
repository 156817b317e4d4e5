// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/kernels.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tyto/core/parallel.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

namespace {

std::vector<float> slopes_of(const std::vector<float>& z, double rate, std::uint64_t key,
                             std::uint64_t lane) {
  std::vector<float> slope(z.size(), -1.0F);
  dropout_slope(z, rate, key, lane, slope);
  return slope;
}

TEST(DropoutSlope, drops_at_the_stated_rate_and_scales_what_stays) {
  const std::vector<float> z(200'003, 2.0F);
  for (const double rate : {0.1, 0.5, 0.75}) {
    double dropped = 0.0;
    for (const float slope : slopes_of(z, rate, 7, 0)) {
      if (slope == 0.0F) {
        ++dropped;
      } else {
        ASSERT_NEAR(slope, 1.0 / (1.0 - rate), 1e-4);
      }
    }
    const double n = static_cast<double>(z.size());
    EXPECT_NEAR(dropped / n, rate, 4.0 * std::sqrt(rate * (1.0 - rate) / n));
  }
}

TEST(DropoutSlope, is_the_leaky_slope_where_nothing_is_dropped) {
  EXPECT_EQ(slopes_of({3.0F, -3.0F, 0.0F}, 0.0, 1, 0),
            (std::vector<float>{1.0F, kLeakySlope, kLeakySlope}));
}

TEST(DropoutSlope, drops_neighbouring_units_independently) {
  const std::vector<float> z(100'000, 1.0F);
  const auto slope = slopes_of(z, 0.5, 3, 0);
  for (const std::size_t distance : {1, 2, 8, 1024, 8192}) {
    double both = 0.0;
    const std::size_t pairs = slope.size() - distance;
    for (std::size_t i = 0; i < pairs; ++i) {
      both += slope[i] == 0.0F && slope[i + distance] == 0.0F ? 1.0 : 0.0;
    }
    EXPECT_NEAR(both / static_cast<double>(pairs), 0.25, 0.008) << "distance " << distance;
  }
}

TEST(DropoutSlope, differs_by_key_and_lane_but_not_by_threads) {
  const std::vector<float> z(50'000, 1.0F);
  const auto once = slopes_of(z, 0.5, 1, 0);
  EXPECT_NE(once, slopes_of(z, 0.5, 2, 0));
  EXPECT_NE(once, slopes_of(z, 0.5, 1, 1));
  const int threads = thread_count();
  set_thread_count(1);
  EXPECT_EQ(once, slopes_of(z, 0.5, 1, 0));
  set_thread_count(threads);
}

TEST(DropoutSlope, fills_every_unit_of_a_size_that_fits_no_block) {
  for (const std::size_t size : {1, 7, 8, 9, 8191, 8193, 16385}) {
    for (const float slope : slopes_of(std::vector<float>(size, 1.0F), 0.5, 5, 0)) {
      ASSERT_TRUE(slope == 0.0F || slope == 2.0F) << "size " << size;
    }
  }
}

TEST(AdamUpdate, moves_by_the_learning_rate_at_first_and_then_by_hand_worked_steps) {
  // Step 1, g = 2: m = 0.2, v = 0.004; corrected m = 2, v = 4: w = 1 - 0.1 * 2 / (2 + 1e-8) = 0.9.
  // Step 2, g = -1: m = 0.18 - 0.1 = 0.08, v = 0.003996 + 0.001 = 0.004996; corrected
  // m = 0.08 / 0.19 = 0.4210526, v = 0.004996 / 0.001999 = 2.4992496, root 1.5809015:
  // w = 0.9 - 0.1 * 0.4210526 / 1.5809015 = 0.8733663.
  std::vector<float> w{1.0F}, m{0.0F}, v{0.0F};
  adam_update({0.1, 1}, std::vector<float>{2.0F}, m, v, w);
  EXPECT_NEAR(w[0], 0.9, 1e-6);
  adam_update({0.1, 2}, std::vector<float>{-1.0F}, m, v, w);
  EXPECT_NEAR(w[0], 0.8733663, 1e-6);
}

}  // namespace

}  // namespace tyto
