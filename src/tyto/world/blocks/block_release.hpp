// SPDX-License-Identifier: Apache-2.0
// A generated world in the layout of NovelCraft: <class>/<episode>/<frame>.png and .json, and the
// tables targets.csv, splits.csv, classes.csv and episode_classes.csv.
//
// Somebody gathers logs and crafts until he has a pogo stick, some 50 steps. In the classes item_*
// there are blocks to be seen that do nothing; in fence, tree_easy, supplier and thief the world
// itself works otherwise, from an episode on that is told by episode_classes.csv.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/core/progress.hpp"
#include "tyto/data/novelcraft/tables.hpp"
#include "tyto/world/blocks/block_game.hpp"

namespace tyto {

struct VideoModule;

struct BlockReleaseOptions {
  Index episodes = 16, item_episodes = 3, test_items = 20, plus = 0;
  Index size = 256, most_steps = 72;
  double pauses = 0.06;
  double position_noise = 0, yaw_noise = 0;

  void describe(OptionVisitor& visitor);
};

struct BlockReleaseClass {
  std::string name;
  BlockNovelty novelty = BlockNovelty::none;
  Block block = {};  // that makes it new; of item, fence and easy_tree
  Index episodes = 0;
  Index first_novel = 0;  // episodes before it are standard; -1: all are
  // Of the tables of frames; none: it is in those of episodes alone.
  std::optional<NovelCraftRole> role = {};
};

// normal, fence and three items; five items new in validation; tree_easy and at least 20 items new
// in test; supplier and thief.
std::vector<BlockReleaseClass> block_release_classes(const BlockReleaseOptions& options);

// What an episode shows, state after state, the first as it begins. `told` is what the sensors say
// of where the player is, `over` whether it is the last.
using TakeBlockState = std::function<void(const BlockGame& game, const Camera& told, bool over)>;
void play_block_episode(BlockNovelty novelty, const Block& block,
                        const BlockReleaseOptions& options, const Rng& rng,
                        const TakeBlockState& take);

struct BlockReleaseCount {
  Index episodes = 0, frames = 0;
};

// Writes `folder`, which must not be there and appears whole or not at all. As in the release,
// episode 0 of a class has no picture of its state 0; splits are drawn as split_episodes does, of
// episodes with a frame that counts; with `plus`, folders normal/normal_<n> hold further standard
// episodes. `module` makes the PNGs; null: the one beside the library. The same seed, the same
// bytes, whatever the number of threads.
BlockReleaseCount write_block_release(const BlockReleaseOptions& options, std::uint64_t seed,
                                      const std::filesystem::path& folder, Progress& progress,
                                      const VideoModule* module = nullptr);

}  // namespace tyto
