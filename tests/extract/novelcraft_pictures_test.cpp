// SPDX-License-Identifier: Apache-2.0
// Pictures in the layout of NovelCraft, from a generated world to a dataset of pixels.
#include <algorithm>

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/data/import.hpp"
#include "tyto/engine/extract/extract.hpp"
#include "tyto/engine/extract/pixels.hpp"
#include "tyto/video/module.hpp"
#include "tyto/world/blocks/block_release.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::Scratch;

TEST(NovelCraftPictures, become_a_dataset_by_the_list_of_the_importer) {
  const Scratch scratch;
  BlockReleaseOptions world;
  world.episodes = 3;
  world.item_episodes = 1;
  world.size = 16;
  world.most_steps = 12;
  world.plus = 1;
  Progress silent;
  write_block_release(world, 1, scratch / "craft", silent);
  // One is cut short.
  const std::filesystem::path torn = scratch / "craft/normal/2/7.png";
  std::filesystem::resize_file(torn, std::filesystem::file_size(torn) / 2);

  write_file(scratch / "list.csv",
             list_csv("novelcraft", scratch / "craft", parse_yaml("{plus: true}", "options")));
  const MediaList found = find_media({scratch / "craft"}, {.single_pictures = true});
  const MediaList media = media_segments(scratch / "list.csv", found, false);
  EXPECT_TRUE(media.problems.empty());
  ExtractOptions options;
  options.out = scratch / "pixels";
  options.pixels = options.per_clip = true;
  options.type = StoredAs::uint8;
  options.thumbnails = 0;
  extract_shard(*pixel_backbone(16, ConfigNode::empty_map()), media, options, silent);
  const MergedShards merged = merge_shards(options.out);
  ASSERT_EQ(merged.problems.size(), 1U);
  EXPECT_EQ(merged.problems[0].id, "normal/2/7");
  EXPECT_THAT(merged.problems[0].reason, HasSubstr("normal/2/7.png"));

  const Dataset data = load_dataset(options.out);
  const IndexTable& table = data.table;
  EXPECT_EQ(table.size(), std::ssize(media.samples) - 1);
  const auto place = [&](const char* id) {
    return std::find(table.id.begin(), table.id.end(), id) - table.id.begin();
  };
  // Frames by number, not as words; the frame is the time, the episode the group.
  EXPECT_EQ(place("normal/1/10"), place("normal/1/9") + 1);
  EXPECT_EQ(table.time[at(place("normal/1/10"))], 10.0);
  EXPECT_EQ(table.group[at(place("normal/1/10"))], "normal/1");
  EXPECT_EQ(table.split[at(place("normal/normal_0/3"))], "train");
  EXPECT_EQ(table.label[at(place("normal/normal_0/3"))], "normal");
  // The pixels are those of the file.
  const Picture picture = video_module().read_picture(scratch / "craft/normal/1/10.png");
  Matrix row(1, 3 * 16 * 16);
  data.store->gather("rgb", std::vector<Index>{place("normal/1/10")}, row);
  for (Index y = 0; y < 16; ++y) {
    for (Index x = 0; x < 16; ++x) {
      ASSERT_EQ(row(0, 256 + 16 * y + x), picture.pixel(x, y)[1]) << x << ' ' << y;
    }
  }
}

}  // namespace
}  // namespace tyto
