// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/group_count.hpp"

#include <cmath>
#include <map>

#include "cluster/group_rows.hpp"
#include <gtest/gtest.h>

namespace tyto {
namespace {

// A single peak; counts how often each argument was valued.
struct Peak {
  Index top;
  mutable std::map<Index, int> asked = {};

  double operator()(Index x) const {
    ++asked[x];
    return -std::abs(static_cast<double>(x - top));
  }
};

TEST(GroupCount, searches_find_a_single_peak_and_ask_no_number_twice) {
  for (const auto search : {golden_section, brent_search}) {
    for (const Index top : {5, 6, 40, 198, 199}) {  // Brent's, truncated, never reaches 200
      const Peak peak{top};
      EXPECT_EQ(search(5, 200, std::cref(peak)), top);
      for (const auto& [x, times] : peak.asked) {
        EXPECT_EQ(times, 1) << x;
      }
      EXPECT_LT(peak.asked.size(), 40U);
    }
  }
}

TEST(GroupCount, bisection_keeps_the_half_beside_the_better_end) {
  // Ends 5 and 21: 21 is better (3 from 18), so 13 and 21; again, 17 and 21; now 17 is better (1),
  // so 17 and 19; then 18, the fourth and last of log2(16) rounds.
  const Peak peak{18};
  EXPECT_EQ(bisection(5, 21, std::cref(peak)), 18);
  std::vector<Index> asked;
  for (const auto& [x, times] : peak.asked) {
    asked.push_back(x);
    EXPECT_EQ(times, 1);
  }
  EXPECT_EQ(asked, (std::vector<Index>{5, 13, 17, 18, 19, 21}));
}

TEST(GroupCount, of_one_number_is_that_number) {
  const Peak peak{9};
  EXPECT_EQ(golden_section(4, 4, std::cref(peak)), 4);
  EXPECT_EQ(brent_search(4, 4, std::cref(peak)), 4);
  EXPECT_EQ(bisection(4, 4, std::cref(peak)), 4);
}

TEST(GroupCount, every_way_finds_well_parted_blobs) {
  Rng rng(3);
  const toy::Blobs blobs = toy::make_blobs(rng, 8, 40, 4, 20.0);
  std::vector<std::int32_t> pinned;
  for (std::size_t i = 0; i < blobs.truth.size(); ++i) {
    pinned.push_back(blobs.truth[i] < 4 && i % 2 == 0 ? blobs.truth[i] : -1);
  }
  Progress progress;
  for (const char* how : {"golden", "brent", "bic", "dp"}) {
    Work work{Rng(1), progress};
    const Index found = estimate_groups(blobs.rows, pinned, 4, {how, 30}, work);
    EXPECT_GE(found, 6) << how;
    EXPECT_LE(found, 14) << how;
  }
}

TEST(GroupCount, is_never_below_the_classes_nor_above_the_rows) {
  const Matrix rows = toy::column({0, 1, 2, 3});
  const std::vector<std::int32_t> pinned{0, 1, 2, -1};
  Progress progress;
  for (const char* how : {"golden", "brent", "bisection", "bic", "dp"}) {
    Work work{Rng(1), progress};
    const Index found = estimate_groups(rows, pinned, 3, {how, 100}, work);
    EXPECT_GE(found, 3) << how;
    EXPECT_LE(found, 4) << how;
  }
}

}  // namespace
}  // namespace tyto
