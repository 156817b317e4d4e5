// SPDX-License-Identifier: Apache-2.0
// What the player's eye sees of a block world.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/data/novelcraft/ray_cast.hpp"

namespace tyto {
namespace {

const Block kTnt{"minecraft:tnt"};
const Block kOak{"minecraft:log", "oak"};

BlockGrid meadow() {
  return {-8, -8, 17, 17};
}

double share_of(const BlockGrid& grid, const Camera& camera, const Block& block) {
  constexpr Index kSide = 1024;  // so fine that a border of pixels is next to nothing
  return static_cast<double>(visible_pixels(grid, camera, block, kSide, kSide)) / (kSide * kSide);
}

TEST(BlockRays, see_nothing_but_a_tree_one_stands_before) {
  BlockGrid grid = meadow();
  grid.put(0, 1, {"minecraft:log", "jungle"});
  EXPECT_EQ(share_of(grid, {0, 4, 0}, {"minecraft:log", "jungle"}), 1.0);
  EXPECT_EQ(share_of(grid, {0, 4, 0}, kOak), 0.0);  // another variant is another block
}

// A block three cells ahead: its front from 2.5 away, half a cell to either side, from the ground
// to 0.60667 below the eye; then its top up to 3.5 away.
TEST(BlockRays, see_as_much_of_a_block_as_geometry_says) {
  BlockGrid grid = meadow();
  grid.put(0, 3, kTnt);
  const double below = kEyeHeight - 0.5;
  const double front = (1.0 / 2.5) * (1.0 / 2.5);
  const double near = below / 2.5;
  const double far = below / 3.5;
  const double top = (near * near - far * far) / (2 * below);
  const double across = 2 * std::tan(kFieldOfView / 2 * std::acos(-1.0) / 180);
  EXPECT_NEAR(share_of(grid, {0, 4, 0}, kTnt), (front + top) / (across * across), 5e-4);
  EXPECT_NEAR((front + top) / (across * across), 0.0894, 1e-4);
}

TEST(BlockRays, turn_with_the_yaw_and_have_the_west_on_the_right_when_looking_south) {
  const std::array<std::array<Index, 2>, 4> ahead{{{0, 3}, {-3, 0}, {0, -3}, {3, 0}}};
  for (std::size_t block = 0; block < 4; ++block) {
    BlockGrid grid = meadow();
    grid.put(ahead[block][0], ahead[block][1], kTnt);
    for (std::size_t yaw = 0; yaw < 4; ++yaw) {
      const double share = share_of(grid, {0, 4, 0, 90.0 * static_cast<double>(yaw)}, kTnt);
      EXPECT_EQ(share > 0, yaw == block) << block << " seen at " << yaw;
    }
  }
  BlockGrid grid = meadow();
  grid.put(-2, 4, kOak);
  const RayCaster rays(grid, {0, 4, 0}, 64, 64);
  EXPECT_EQ(rays.cast(55, 31).kind, *grid.find(kOak));
  EXPECT_EQ(rays.cast(8, 31).face, Face::sky);
  EXPECT_EQ(rays.cast(8, 50).face, Face::ground);
}

TEST(BlockRays, end_at_the_first_block) {
  BlockGrid grid = meadow();
  grid.put(0, 5, kTnt);
  EXPECT_GT(share_of(grid, {0, 4, 0}, kTnt), 0.0);
  grid.put(0, 2, kOak);
  EXPECT_EQ(share_of(grid, {0, 4, 0}, kTnt), 0.0);
  // A low block before another one hides its foot only.
  grid.put(0, 2, {"minecraft:sand", "sand"});
  EXPECT_GT(share_of(grid, {0, 4, 0}, kTnt), 0.0);
}

TEST(BlockRays, look_down_with_the_pitch) {
  BlockGrid grid = meadow();
  grid.put(0, 1, kTnt);
  const RayCaster down(grid, {0, 4, 0, 0, 90}, 65, 65);
  EXPECT_EQ(down.cast(32, 32).face, Face::ground);
  EXPECT_NEAR(down.cast(32, 32).distance, kEyeHeight + 0.5, 1e-9);
  EXPECT_EQ(down.cast(32, 5).kind, *grid.find(kTnt));  // ahead is up in the picture
  EXPECT_EQ(down.cast(32, 60).face, Face::ground);
  EXPECT_GT(share_of(grid, {0, 4, 0, 0, 40}, kTnt), share_of(grid, {0, 4, 0, 0, 0}, kTnt));
}

// The same by very small steps.
TEST(BlockRays, agree_with_marching_through_the_world) {
  BlockGrid grid = meadow();
  Rng rng(1);
  for (int i = 0; i < 40; ++i) {
    const Index x = rng.below(17) - 8;
    const Index z = rng.below(17) - 8;
    if (x != 0 || z != 0) {
      grid.put(x, z, i % 2 == 0 ? kTnt : kOak);
    }
  }
  const Camera camera{0.2, 4, -0.3, 33, 12};
  const RayCaster rays(grid, camera, 32, 32);
  const double half = std::tan(kFieldOfView / 2 * std::acos(-1.0) / 180);
  const double yaw = camera.yaw * std::acos(-1.0) / 180;
  const double pitch = camera.pitch * std::acos(-1.0) / 180;
  int differing = 0;
  for (Index pixel = 0; pixel < 32 * 32; ++pixel) {
    // Of the picture, then turned down, then round.
    const double u = (2 * (static_cast<double>(pixel % 32) + 0.5) / 32 - 1) * half;
    const double v = (1 - 2 * (static_cast<double>(pixel / 32) + 0.5) / 32) * half;
    const double ahead = std::cos(pitch) + v * std::sin(pitch);
    const double up = v * std::cos(pitch) - std::sin(pitch);
    const double dx = -std::sin(yaw) * ahead - u * std::cos(yaw);
    const double dz = std::cos(yaw) * ahead - u * std::sin(yaw);
    BlockGrid::Kind kind = BlockGrid::kNone;
    for (double t = 0; t < 25; t += 2e-3) {
      const double height = kEyeHeight + 0.5 + t * up;
      const auto x = static_cast<Index>(std::lround(camera.x + t * dx));
      const auto z = static_cast<Index>(std::lround(camera.z + t * dz));
      if (height < 0 || !grid.holds(x, z)) {
        break;
      }
      const BlockGrid::Kind here = grid.kind_at(x + 8, z + 8);
      if (here != BlockGrid::kNone && height < grid.height_of(here) && (x != 0 || z != 0)) {
        kind = here;
        break;
      }
    }
    differing += rays.cast(pixel % 32, pixel / 32).kind == kind ? 0 : 1;
  }
  EXPECT_LE(differing, 5);
}

TEST(BlockRays, begin_inside_the_map) {
  const BlockGrid grid = meadow();
  EXPECT_THROW(visible_pixels(grid, {9, 4, 0}, kTnt, 8, 8), Error);
  EXPECT_THROW(visible_pixels(grid, {0, 4, std::nan("")}, kTnt, 8, 8), Error);
  EXPECT_EQ(visible_pixels(grid, {0, 4, 0}, kTnt, 8, 8), 0);
}

TEST(NovelBlocks, of_classes_are_those_of_the_release) {
  EXPECT_EQ(novel_block_of("item_tnt"), kTnt);
  EXPECT_EQ(novel_block_of("item_sand"), (Block{"minecraft:sand", "sand"}));
  EXPECT_EQ(novel_block_of("fence"), (Block{"minecraft:fence"}));
  EXPECT_EQ(novel_block_of("tree_easy"), (Block{"minecraft:log", "jungle"}));
  EXPECT_EQ(novel_block_of("thief"), std::nullopt);
  EXPECT_EQ(novel_block_of("normal"), std::nullopt);
}

}  // namespace
}  // namespace tyto
