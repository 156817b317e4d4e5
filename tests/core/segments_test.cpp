// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/segments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::ElementsAre;

TEST(Segments, centres_are_those_of_equal_parts) {
  EXPECT_THAT(centre_frames(25, 8), ElementsAre(1, 4, 7, 10, 14, 17, 20, 23));  // tick 3.125
  EXPECT_THAT(centre_frames(8, 8), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(centre_frames(16, 4), ElementsAre(2, 6, 10, 14));
  EXPECT_THAT(centre_frames(1, 3), ElementsAre(0, 0, 0));
}

TEST(Segments, a_clip_shorter_than_the_segments_repeats_its_frames_in_order) {
  Rng rng(1);
  EXPECT_THAT(drawn_frames(4, 8, rng), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(centre_frames(4, 8), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(drawn_frames(1, 3, rng), ElementsAre(0, 0, 0));
  EXPECT_THAT(drawn_frames(3, 5, rng), ElementsAre(0, 0, 1, 1, 2));
}

TEST(Segments, draws_every_frame_of_a_part_alike_and_none_of_another) {
  Rng rng(2);
  std::vector<int> times(26, 0);
  for (int i = 0; i < 3000; ++i) {
    const std::vector<Index> drawn = drawn_frames(26, 8, rng);
    ASSERT_EQ(drawn.size(), 8U);
    for (std::size_t s = 0; s < 8; ++s) {
      ASSERT_EQ(drawn[s] / 3, static_cast<Index>(s));  // parts of floor(26 / 8) = 3 frames
      ++times[static_cast<std::size_t>(drawn[s])];
    }
  }
  for (std::size_t f = 0; f < 24; ++f) {
    EXPECT_NEAR(times[f], 1000, 120) << f;
  }
  EXPECT_EQ(times[24] + times[25], 0);  // left over, as published
}

}  // namespace
}  // namespace tyto
