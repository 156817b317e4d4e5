// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/random.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace tyto {
namespace {

TEST(Philox, matches_the_known_answers_of_the_paper) {  // kat_vectors of Random123, 10 rounds
  const auto zero = philox(0, 0, 0);
  EXPECT_EQ(zero, (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const auto ones = philox(UINT64_MAX, UINT64_MAX, UINT64_MAX);
  EXPECT_EQ(ones, (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Rng, draws_depend_on_seed_path_and_step_alone) {
  Rng a(1, "world", 3);
  Rng b(1, "world", 3);
  EXPECT_EQ(a.bits(), b.bits());
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (const char* path : {"world", "worl", "feedback", ""}) {
      for (std::uint64_t step = 0; step < 10; ++step) {
        first.insert(Rng(seed, path, step).bits());
      }
    }
  }
  EXPECT_EQ(first.size(), 400U);
}

TEST(Rng, a_fork_does_not_move_its_parent) {
  Rng a(7);
  Rng b(7);
  Rng forked = a.fork("x");
  forked.bits();
  EXPECT_EQ(a.bits(), b.bits());
  EXPECT_EQ(a.fork("x").key(), b.fork("x").key());
}

TEST(Rng, below_and_normal_have_the_moments_they_should) {
  Rng rng(11);
  std::vector<int> counts(7);
  double sum = 0;
  double squares = 0;
  const int n = 70000;
  for (int i = 0; i < n; ++i) {
    ++counts[static_cast<std::size_t>(rng.below(7))];
    const double x = rng.normal();
    sum += x;
    squares += x * x;
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 10000, 500);  // five standard deviations
  }
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2.0 / n));
}

}  // namespace
}  // namespace tyto
