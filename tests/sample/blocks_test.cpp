// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/blocks.hpp"

#include <gtest/gtest.h>

namespace tyto {
namespace {

TEST(Blocks, keep_their_count_for_usual_widths) {
  for (const Index width : {0, 1, 64, 768, 2304, 4096}) {
    EXPECT_EQ(rows_per_block(width, 4096), 4096);
    EXPECT_EQ(rows_per_block(width, 8192), 8192);
  }
}

TEST(Blocks, take_at_most_256_MB_and_at_least_one_row) {
  const Index picture = 3 * 234 * 256;  // 718,848 bytes: 373 of them are 268,130,304, 374 too many
  EXPECT_EQ(rows_per_block(picture, 4096), 373);
  EXPECT_EQ(rows_per_block(picture, 100), 100);
  EXPECT_EQ(rows_per_block(Index{1} << 40, 4096), 1);
}

TEST(Blocks, count_all_frames_of_the_widest_source) {
  std::vector<DenseStore::Source> sources;
  sources.push_back({"features", Matrix::Zero(6, 2), {}});
  sources.push_back({"rgb", Matrix::Zero(6, 50), {}});
  const auto store = std::make_shared<const DenseStore>(std::move(sources));
  const Samples rows(store, {{SampleId{1}, SampleId{2}}, {0, 1}, {}, {}, {}});
  EXPECT_EQ(rows.widest(), 50);
  const Samples clips(store, {{SampleId{1}, SampleId{2}}, {0, 1, 2, 3}, {0, 1, 4}, {}, {}});
  EXPECT_EQ(clips.widest(), 150);
  EXPECT_EQ(samples_per_block(clips, 4096), 4096);
  EXPECT_EQ(Samples().widest(), 0);
}

}  // namespace
}  // namespace tyto
