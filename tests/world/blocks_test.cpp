// SPDX-License-Identifier: Apache-2.0
// The generated world in the layout of NovelCraft.
#include <map>
#include <set>

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/data/novelcraft/state_file.hpp"
#include "tyto/video/module.hpp"
#include "tyto/world/blocks/block_agent.hpp"
#include "tyto/world/blocks/block_picture.hpp"
#include "tyto/world/blocks/block_release.hpp"
#include "tyto/world/blocks/block_scene.hpp"
#include "tyto/world/blocks/block_state.hpp"

namespace tyto {
namespace {

using testing_support::Scratch;
namespace fs = std::filesystem;

// PNGs that are the pixels themselves.
struct RawPictures final : VideoModule {
  [[nodiscard]] std::unique_ptr<VideoReader> open_video(const fs::path&, Index) const override {
    return nullptr;
  }

  [[nodiscard]] Picture read_picture(const fs::path&) const override { return {}; }

  [[nodiscard]] std::string as_jpeg(const Picture&, int) const override { return {}; }

  [[nodiscard]] std::string as_png(const Picture& picture) const override {
    return std::string(picture.rgb.begin(), picture.rgb.end());
  }

  void write_video(std::span<const Picture>, double, const fs::path&) const override {}

  [[nodiscard]] std::unique_ptr<Backbone> open_onnx(const fs::path&, const Recipe&,
                                                    const OnnxOptions&) const override {
    return nullptr;
  }
};

BlockReleaseOptions small_release() {
  BlockReleaseOptions options;
  options.episodes = 4;
  options.item_episodes = 1;
  options.size = 24;
  options.most_steps = 5;  // the first of some fifty
  return options;
}

BlockReleaseCount make_release(const BlockReleaseOptions& options, std::uint64_t seed,
                               const fs::path& folder) {
  Progress silent;
  const RawPictures pictures;
  return write_block_release(options, seed, folder, silent, &pictures);
}

std::map<std::string, std::string> all_files(const fs::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      out[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
    }
  }
  return out;
}

TEST(Blocks, of_one_seed_are_the_same_bytes_on_any_number_of_threads) {
  const Scratch scratch;
  const int threads = thread_count();
  BlockReleaseOptions options = small_release();
  options.plus = 1;
  const BlockReleaseCount made = make_release(options, 3, scratch / "a");
  set_thread_count(1);
  make_release(options, 3, scratch / "b");
  set_thread_count(threads);
  make_release(options, 4, scratch / "c");
  const auto files = all_files(scratch / "a");
  EXPECT_EQ(files, all_files(scratch / "b"));
  EXPECT_NE(files, all_files(scratch / "c"));
  EXPECT_EQ(made.episodes, 5 * 4 + 28 + 1);
  Index pictures = 0;
  for (const auto& [name, bytes] : files) {
    pictures += name.ends_with(".png") ? 1 : 0;
  }
  EXPECT_EQ(made.frames, pictures);
  EXPECT_TRUE(files.contains("normal/normal_0/0.png"));
  // As in the release: the first picture of the first episode is missing, its state is there.
  EXPECT_TRUE(files.contains("item_tnt/0/0.json"));
  EXPECT_FALSE(files.contains("item_tnt/0/0.png"));
  EXPECT_TRUE(files.contains("thief/1/0.png"));
}

// The renderer's count and the rays through the map of the JSON, frame by frame.
TEST(Blocks, visible_shares_follow_from_the_states_alone) {
  const Scratch scratch;
  BlockReleaseOptions options = small_release();
  options.most_steps = 10;
  make_release(options, 5, scratch / "made");
  const CsvTable targets = CsvTable::load(scratch / "made/targets.csv");
  Index seen = 0;
  std::set<std::string> classes;
  for (Index row = 0; row < targets.rows(); ++row) {
    const std::string id(targets.text(row, 0));
    const NovelCraftId parts = novelcraft_id(id, "targets");
    const fs::path file = scratch / ("made/" + id + ".json");
    const BlockScene scene = scene_of(read_state_file(file), file.string());
    const Index pixels =
        visible_pixels(scene.grid, scene.camera, *novel_block_of(parts.class_name), 24, 24);
    ASSERT_EQ(static_cast<double>(pixels) / 576, targets.number(row, 1)) << id;
    seen += pixels > 0 ? 1 : 0;
    classes.insert(parts.class_name);
  }
  EXPECT_GT(seen, targets.rows() / 10);
  EXPECT_LT(seen, targets.rows());
  EXPECT_EQ(classes.size(), 4U + 5 + 21);
}

TEST(Blocks, release_has_tables_that_agree_with_each_other) {
  const Scratch scratch;
  BlockReleaseOptions options = small_release();
  options.item_episodes = 3;
  options.most_steps = 10;
  make_release(options, 6, scratch / "made");
  const NovelCraftTables tables = read_novelcraft_tables(scratch / "made");  // checks the counts
  const auto counts = novelcraft_splits(tables);
  for (const NovelCraftCount& count : counts) {
    EXPECT_GT(count.visible, 0) << count.split << count.is_novel;
  }
  EXPECT_EQ(tables.role.size(), 31U);
  EXPECT_EQ(tables.role.at("item_tnt"), NovelCraftRole::novel_valid);
  const CsvTable episodes = CsvTable::load(scratch / "made/episode_classes.csv");
  ASSERT_EQ(episodes.rows(), 5);
  EXPECT_EQ(episodes.text(0, 2), "-1");
  EXPECT_EQ(episodes.text(1, 2), "1");
}

TEST(Blocks, gameplay_begins_to_change_with_its_first_novel_episode) {
  const Scratch scratch;
  BlockReleaseOptions options = small_release();
  options.most_steps = 1;
  make_release(options, 7, scratch / "made");
  const auto files = all_files(scratch / "made");
  EXPECT_EQ(files.at("tree_easy/0/0.json").find("jungle"), std::string::npos);
  EXPECT_NE(files.at("tree_easy/1/0.json").find("jungle"), std::string::npos);
  EXPECT_EQ(files.at("fence/0/0.json").find("minecraft:fence"), std::string::npos);
  EXPECT_NE(files.at("fence/1/0.json").find("minecraft:fence"), std::string::npos);
  EXPECT_EQ(files.at("thief/0/0.json").find("EntityPogoist"), std::string::npos);
  EXPECT_NE(files.at("thief/1/0.json").find("EntityPogoist"), std::string::npos);
}

TEST(Blocks, states_have_the_keys_of_the_release) {
  const BlockGame game = draw_block_game(BlockNovelty::supplier, {}, Rng(1));
  const auto state = nlohmann::json::parse(block_state_json(game, game.camera(), false));
  EXPECT_EQ(state.size(), kStateKeys.size());
  EXPECT_THAT(unknown_state_keys(state), testing::IsEmpty());
  EXPECT_EQ(state.at("map").size(), 1024U);
  EXPECT_EQ(state.at("map").at("0,4,31").at("name"), "minecraft:bedrock");
  EXPECT_EQ(state.at("player").at("facing"), kFacings[at(game.facing())]);
  EXPECT_EQ(state.at("inventory").at("0").at("item"), "minecraft:iron_pickaxe");
  EXPECT_EQ(state.at("inventory").at("selectedItem").at("item"), "");
  EXPECT_EQ(state.at("entities").size(), 1U);
  const BlockScene scene = scene_of(state, "state");
  EXPECT_EQ(scene.grid.block(game.stranger().x, game.stranger().z).name, "entity:EntityPogoist");
}

struct Played {
  Index states = 0;
  bool won = false;
  std::map<std::string, Index> commands;
  double gained = 0, lost = 0;  // logs, planks and sticks that no command explains
};

Played play(BlockNovelty novelty, std::uint64_t seed) {
  Played out;
  const auto held = [](const BlockGame& game) {
    return static_cast<double>(game.held(kLog) + game.held(kPlanks) + game.held(kStick));
  };
  double before = 0;
  BlockReleaseOptions options;
  options.most_steps = 200;
  play_block_episode(novelty, {"minecraft:tnt"}, options, Rng(seed),
                     [&](const BlockGame& game, const Camera&, bool over) {
                       ++out.states;
                       out.won = game.is_won();
                       // A thief may leave him without a tree.
                       EXPECT_TRUE(over == out.won || novelty == BlockNovelty::thief);
                       const std::string& command = game.outcome().command.name;
                       ++out.commands[command];
                       if (command == "MOVE" || command == "TURN") {
                         out.gained += std::max(0.0, held(game) - before);
                         out.lost += std::max(0.0, before - held(game));
                       }
                       before = held(game);
                     });
  return out;
}

TEST(Blocks, standard_episodes_end_with_a_pogo_stick_after_some_fifty_steps) {
  Index sum = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Played played = play(BlockNovelty::none, seed);
    EXPECT_TRUE(played.won) << seed;
    EXPECT_EQ(played.commands.at("BREAK_BLOCK"), 3);
    EXPECT_EQ(played.gained + played.lost, 0);
    EXPECT_GE(played.states, 25) << seed;
    EXPECT_LE(played.states, 85) << seed;
    sum += played.states;
  }
  EXPECT_GT(sum, 40 * 40);
  EXPECT_LT(sum, 60 * 40);
}

TEST(Blocks, each_gameplay_novelty_changes_what_happens) {
  Played none, fence, tree, supplier, thief;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto add = [&](Played& sum, BlockNovelty novelty) {
      Played one = play(novelty, seed);
      sum.states += one.states;
      sum.gained += one.gained;
      sum.lost += one.lost;
      sum.commands["BREAK_BLOCK"] += one.commands["BREAK_BLOCK"];
    };
    add(none, BlockNovelty::none);
    add(fence, BlockNovelty::fence);
    add(tree, BlockNovelty::easy_tree);
    add(supplier, BlockNovelty::supplier);
    add(thief, BlockNovelty::thief);
  }
  EXPECT_EQ(none.commands["BREAK_BLOCK"], 60);
  EXPECT_GT(fence.commands["BREAK_BLOCK"], 100);  // a fence before most trees
  EXPECT_GT(fence.states, none.states + 100);
  EXPECT_EQ(tree.commands["BREAK_BLOCK"], 20);  // one tree is enough
  EXPECT_LT(supplier.states, none.states);
  EXPECT_GT(supplier.gained, 40);
  EXPECT_EQ(supplier.lost, 0);
  EXPECT_GT(thief.lost, 20);
  EXPECT_EQ(thief.gained, 0);
  EXPECT_GT(thief.states, none.states);
}

TEST(Blocks, commands_that_cannot_be_done_fail_and_change_nothing) {
  BlockGrid grid(0, 0, 5, 5);
  for (Index i = 0; i < 5; ++i) {
    for (const Index edge : {Index{0}, Index{4}}) {
      grid.put(i, edge, {std::string(kBedrock)});
      grid.put(edge, i, {std::string(kBedrock)});
    }
  }
  grid.put(2, 3, {std::string(kLog), "oak"});
  BlockGame game(grid, {2, 2}, 0, BlockNovelty::none, {}, Rng(1));
  const auto outcome = [&](const char* name, std::string_view argument = "") {
    game.act({name, std::string(argument)});
    return game.outcome().success ? "" : game.outcome().message;
  };
  EXPECT_EQ(outcome("MOVE"), "Block in path");
  EXPECT_EQ(outcome("CRAFT", kPlanks), "Not enough minecraft:log");
  EXPECT_EQ(outcome("PLACE_TREE_TAP"), "Cannot place a tree tap here");
  EXPECT_EQ(outcome("BREAK_BLOCK"), "");
  EXPECT_EQ(game.held(kLog), 1);
  EXPECT_EQ(outcome("CRAFT", kPlanks), "");
  EXPECT_EQ(game.held(kPlanks), 4);
  EXPECT_EQ(game.held(kLog), 0);
  EXPECT_EQ(outcome("CRAFT", kTap), "Not at a crafting table");
  EXPECT_EQ(outcome("MOVE"), "");
  EXPECT_EQ(game.place(), (BlockPlace{2, 3}));
  EXPECT_EQ(outcome("BREAK_BLOCK"), "Block cannot be broken");
  EXPECT_EQ(game.step(), 8);
  // Nothing is left to gather, and he sees it.
  EXPECT_FALSE(next_command(BlockGame(grid, {2, 2}, 0, BlockNovelty::none, {}, Rng(1))) ==
               std::nullopt);
  EXPECT_EQ(next_command(game)->name, "CRAFT");
}

TEST(Blocks, sensors_may_be_imprecise_while_pictures_are_not) {
  BlockReleaseOptions options;
  options.position_noise = 0.05;
  options.yaw_noise = 2;
  double apart = 0;
  Index states = 0;
  play_block_episode(BlockNovelty::none, {}, options, Rng(2),
                     [&](const BlockGame& game, const Camera& told, bool) {
                       EXPECT_EQ(game.camera().x, std::round(game.camera().x));
                       EXPECT_LT(std::abs(told.x - game.camera().x), 0.5);
                       apart += std::abs(told.yaw - game.camera().yaw);
                       ++states;
                     });
  EXPECT_NEAR(apart / static_cast<double>(states), 2 * 0.798, 0.6);  // mean of |normal|
}

TEST(Blocks, pictures_show_sky_above_and_the_item_bar_below) {
  const BlockGame game = draw_block_game(BlockNovelty::none, {}, Rng(3));
  BlockPainter painter(64, 1.0);
  const BlockView view = painter.draw(game.grid(), game.camera(), game.inventory(), {});
  EXPECT_EQ(view.novel_pixels, 0);
  const std::uint8_t* bar = view.picture.pixel(63, 64 - item_bar_rows(64));
  EXPECT_EQ((std::vector<int>{bar[0], bar[1], bar[2]}), (std::vector<int>{40, 40, 40}));
  EXPECT_EQ(item_bar_rows(256), 22);
  // Another stack in the hand changes the bar and nothing above it.
  const std::vector<HeldItem> other{{"minecraft:diamond", 9}};
  const Picture changed = painter.draw(game.grid(), game.camera(), other, {}).picture;
  const auto above = view.picture.rgb.begin() + 3 * 64 * (64 - item_bar_rows(64));
  EXPECT_TRUE(std::equal(view.picture.rgb.begin(), above, changed.rgb.begin()));
  EXPECT_NE(view.picture, changed);
}

}  // namespace
}  // namespace tyto
