// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/page/drawn_picture.hpp"

#include <gtest/gtest.h>

#include "tyto/core/random.hpp"
#include "tyto/report/page/pictures/png.hpp"

namespace tyto {
namespace {

using Pixels = std::vector<std::uint8_t>;

TEST(DrawnPicture, puts_frames_side_by_side_in_one_scale) {
  Matrix frames(2, 4);  // two rows of two pixels
  frames << 0, 1, 2, 3, 4, 0, 0, 2;
  const SamplePicture strip = drawn_picture(frames, {"features", 2, 2}, 20'000);
  EXPECT_EQ(strip.frames, 2);
  EXPECT_TRUE(strip.drawn);
  // From 0 to 4, the least and the greatest of both; 1 of 4 is 63.75.
  EXPECT_EQ(strip.bytes, grey_png(Pixels{0, 64, 255, 0, 128, 191, 0, 128}, 4, 2));
}

TEST(DrawnPicture, takes_colours_plane_by_plane_and_cuts_what_is_beyond_black_and_white) {
  Matrix frame(1, 6);  // two pixels: red, red, green, green, blue, blue
  frame << 0, 255, 10, 20, -5, 300;
  const SamplePicture picture = drawn_picture(frame, {"rgb", 2, 1, 0, 255, 3}, 20'000);
  EXPECT_EQ(picture.frames, 1);
  EXPECT_EQ(picture.bytes, colour_png(Pixels{0, 10, 0, 255, 20, 255}, 2, 1, 32));  // 64 wide
}

TEST(DrawnPicture, takes_six_frames_evenly_spread_of_many) {
  Matrix frames(13, 1);
  for (Index i = 0; i < 13; ++i) {
    frames(i, 0) = static_cast<float>(i);
  }
  const SamplePicture strip = drawn_picture(frames, {"features", 1, 1, 0, 255}, 20'000);
  EXPECT_EQ(strip.frames, 6);
  EXPECT_EQ(strip.bytes, grey_png(Pixels{1, 3, 5, 7, 9, 11}, 6, 1));
}

TEST(DrawnPicture, takes_fewer_frames_where_they_would_be_too_large) {
  Rng rng(1, "test");
  Matrix frames(6, 32 * 32);  // noise does not shrink: about a kilobyte a frame
  for (float& value : frames.reshaped()) {
    value = static_cast<float>(rng.below(256));
  }
  const SamplePicture strip = drawn_picture(frames, {"features", 32, 32, 0, 255}, 3'500);
  EXPECT_EQ(strip.frames, 3);
  EXPECT_LE(strip.bytes.size(), 3'500U);
  EXPECT_TRUE(drawn_picture(frames, {"features", 32, 32, 0, 255}, 100).bytes.empty());
}

}  // namespace
}  // namespace tyto
