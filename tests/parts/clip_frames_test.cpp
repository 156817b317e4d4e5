// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/incremental/clip_frames.hpp"

#include <gtest/gtest.h>

namespace tyto {
namespace {

TEST(ClipFrames, changes_stay_within_a_clip) {
  Matrix rows(4, 1);
  rows << 1, 4, 10, 30;  // two clips of two
  Matrix expected(4, 2);
  expected << 1, 3, 4, 0, 10, 20, 30, 0;
  EXPECT_EQ(with_changes(rows, 2), expected);
}

TEST(ClipFrames, a_clip_is_shuffled_the_same_way_wherever_it_stands) {
  const Matrix clip = Eigen::VectorXf::LinSpaced(8, 1.0F, 8.0F);
  Matrix two(16, 1);
  two << Matrix::Constant(8, 1, 9.0F), clip;
  const Matrix alone = shuffled_clips(clip, 8);
  EXPECT_EQ(shuffled_clips(two, 8).bottomRows(8), alone);
  EXPECT_NE(alone, clip);
  EXPECT_EQ(alone.sum(), clip.sum());
}

}  // namespace
}  // namespace tyto
