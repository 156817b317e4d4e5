// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/blocks/block_release.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/files/whole_folder.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/data/episode_split.hpp"
#include "tyto/video/module.hpp"
#include "tyto/world/blocks/block_agent.hpp"
#include "tyto/world/blocks/block_picture.hpp"
#include "tyto/world/blocks/block_scene.hpp"
#include "tyto/world/blocks/block_state.hpp"

namespace tyto {

namespace {

constexpr std::array kNormalItems{"anvil", "sand", "coal_block"};
constexpr std::array kValidationItems{"quartz_block", "obsidian", "prismarine", "tnt",
                                      "sea_lantern"};
constexpr std::array kTestItems{
    "bookshelf",   "deadbush", "cauldron",     "netherrack",    "enchanting_table",
    "jukebox",     "snow",     "lapis_block",  "stonebrick",    "cake",
    "noteblock",   "wheat",    "mycelium",     "waterlily",     "dropper",
    "reeds",       "bed",      "glowstone",    "lever",         "torch",
    "cobblestone", "planks",   "slime",        "beacon",        "iron_block",
    "clay",        "ice",      "sponge",       "sandstone",     "dispenser",
    "tallgrass",   "cactus",   "gravel",       "piston",        "web",
    "hopper",      "stone",    "soul_sand",    "brewing_stand", "pumpkin",
    "wool",        "vine",     "emerald_block"};
constexpr Index kLeastTestItems = 20;
// How many episodes of a gameplay class are standard before its novelty begins, as a share.
constexpr double kFenceStandard = 14.0 / 94, kTreeStandard = 15.0 / 100,
                 kSupplierStandard = 12.0 / 100, kThiefStandard = 16.0 / 100;
constexpr Index kEpisodesAtOnce = 16;  // between two looks at the progress

BlockReleaseClass item_class(const char* item, NovelCraftRole role, Index episodes) {
  const std::string name = fmt::format("item_{}", item);
  return {name, BlockNovelty::item, *novel_block_of(name), episodes, 0, role};
}

// One folder of frames to be written.
struct EpisodeJob {
  const BlockReleaseClass* of = nullptr;
  Index episode = 0;
  std::string folder;
  bool is_novel = false;
  bool plus = false;
  // Found out by writing it.
  std::vector<std::pair<Index, Index>> novel_pixels = {};  // of each picture: frame, pixels
};

std::vector<EpisodeJob> release_jobs(const std::vector<BlockReleaseClass>& classes, Index plus) {
  std::vector<EpisodeJob> jobs;
  for (const BlockReleaseClass& one : classes) {
    for (Index e = 0; e < one.episodes; ++e) {
      jobs.push_back({&one, e, fmt::format("{}/{}", one.name, e),
                      one.first_novel >= 0 && e >= one.first_novel});
    }
  }
  for (Index n = 0; n < plus; ++n) {
    jobs.push_back({&classes.front(), n, fmt::format("normal/normal_{}", n), false, true});
  }
  return jobs;
}

// Without syncing each: the folder they are in appears when all is written.
void write_frame_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), std::ssize(bytes));
  file.close();
  if (!file) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot be written", path.string()));
  }
}

void write_episode(EpisodeJob& job, const BlockReleaseOptions& options, const Rng& world,
                   const VideoModule& module, const std::filesystem::path& root) {
  const std::filesystem::path folder = root / job.folder;
  make_folder(folder);
  const Rng rng = world.fork(job.folder);
  BlockPainter painter(options.size, 0.85 + 0.3 * rng.fork("light").uniform());
  const BlockNovelty novelty = job.is_novel ? job.of->novelty : BlockNovelty::none;
  play_block_episode(
      novelty, job.of->block, options, rng,
      [&](const BlockGame& game, const Camera& told, bool over) {
        const std::string name = fmt::format("{}", game.step());
        write_frame_file(folder / (name + ".json"), block_state_json(game, told, over));
        if (game.step() == 0 && job.episode == 0 && !job.plus) {
          return;
        }
        const BlockView view =
            painter.draw(game.grid(), game.camera(), game.inventory(), job.of->block);
        write_frame_file(folder / (name + ".png"), module.as_png(view.picture));
        job.novel_pixels.emplace_back(game.step(), view.novel_pixels);
      });
}

std::string targets_csv(const std::vector<EpisodeJob>& jobs, Index size) {
  std::string out = "id,novel_percent\n";
  for (const EpisodeJob& job : jobs) {
    if (job.of->role && job.of->name != kNovelCraftNormal) {
      for (const auto& [frame, pixels] : job.novel_pixels) {
        out += fmt::format("{}/{},{}\n", job.folder, frame,
                           static_cast<double>(pixels) / static_cast<double>(size * size));
      }
    }
  }
  return out;
}

std::string splits_csv(const std::vector<BlockReleaseClass>& classes,
                       const std::vector<EpisodeJob>& jobs, Index size, const Rng& rng) {
  constexpr std::array<std::string_view, 3> kParts{"train", "valid", "test"};
  std::string out = "episode,split,num_frames\n";
  for (const BlockReleaseClass& one : classes) {
    if (one.role != NovelCraftRole::normal) {
      continue;
    }
    std::vector<Index> frames;
    std::vector<std::string> folders;
    for (const EpisodeJob& job : jobs) {
      if (job.of != &one || job.plus) {
        continue;
      }
      const Index count =
          std::count_if(job.novel_pixels.begin(), job.novel_pixels.end(), [&](const auto& frame) {
            return one.name == kNovelCraftNormal ||
                   static_cast<double>(frame.second) / static_cast<double>(size * size) >=
                       kNovelCraftVisible;
          });
      if (count > 0) {
        frames.push_back(count);
        folders.push_back(job.folder);
      }
    }
    // Too few to be dealt out are for training.
    std::vector<Index> part(frames.size(), 0);
    if (frames.size() >= kParts.size()) {
      part = split_episodes(frames, {}, rng.fork("split").fork(one.name)).part;
    }
    for (std::size_t i = 0; i < frames.size(); ++i) {
      out += fmt::format("{},{},{}\n", folders[i], kParts[at(part[i])], frames[i]);
    }
  }
  return out;
}

std::string classes_csv(const std::vector<BlockReleaseClass>& classes) {
  constexpr std::array<std::string_view, 4> kWords{"normal", "novel_valid", "novel_test",
                                                   "dropped"};
  std::string out = "class,target_index,role,paper_label\n";
  Index index = 0;
  for (const BlockReleaseClass& one : classes) {
    if (one.role) {
      out += fmt::format("{},{},{},{}\n", one.name, index++,
                         kWords[static_cast<std::size_t>(*one.role)], one.name);
    }
  }
  return out;
}

std::string episode_classes_csv(const std::vector<BlockReleaseClass>& classes) {
  std::string out = "class,target_index,first_novel_episode,used_in_table4\n";
  Index index = 0;
  for (const BlockReleaseClass& one : classes) {
    if (one.novelty != BlockNovelty::item) {
      out += fmt::format("{},{},{},1\n", one.name, index++, one.first_novel);
    }
  }
  return out;
}

}  // namespace

void BlockReleaseOptions::describe(OptionVisitor& visitor) {
  visitor.field("episodes", episodes, {3, 10000},
                "of normal, fence, tree_easy, supplier and thief each");
  visitor.field("item_episodes", item_episodes, {1, 10000}, "of each class item_*");
  visitor.field("test_items", test_items, {kLeastTestItems, static_cast<double>(kTestItems.size())},
                "classes item_* that are new in test");
  visitor.field("plus", plus, {0, 10000},
                "further standard episodes, as folders normal/normal_<n>");
  visitor.field("size", size, {16, 1024}, "pixels of a picture across and down");
  visitor.field("most_steps", most_steps, {1, 10000}, "of an episode");
  visitor.field("pauses", pauses, {0, 0.9}, "chance that a step is spent standing still");
  visitor.field("position_noise", position_noise, {0, 1},
                "deviation of the told position, in cells; pictures are from the true one");
  visitor.field("yaw_noise", yaw_noise, {0, 45}, "deviation of the told direction, in degrees");
}

std::vector<BlockReleaseClass> block_release_classes(const BlockReleaseOptions& options) {
  const Index many = options.episodes;
  const auto first_of = [&](double share) {
    return std::max<Index>(1, std::lround(share * static_cast<double>(many)));
  };
  const auto gameplay = [&](const char* name, BlockNovelty novelty, double standard,
                            std::optional<NovelCraftRole> role) {
    return BlockReleaseClass{
        name, novelty, novel_block_of(name).value_or(Block{}), many, first_of(standard), role};
  };
  std::vector<BlockReleaseClass> classes{
      {"normal", BlockNovelty::none, {}, many, -1, NovelCraftRole::normal},
      gameplay("fence", BlockNovelty::fence, kFenceStandard, NovelCraftRole::normal)};
  const auto add_items = [&](const auto& items, Index count, NovelCraftRole role) {
    for (Index i = 0; i < count; ++i) {
      classes.push_back(item_class(items[at(i)], role, options.item_episodes));
    }
  };
  add_items(kNormalItems, std::ssize(kNormalItems), NovelCraftRole::normal);
  add_items(kValidationItems, std::ssize(kValidationItems), NovelCraftRole::novel_valid);
  classes.push_back(
      gameplay("tree_easy", BlockNovelty::easy_tree, kTreeStandard, NovelCraftRole::novel_test));
  add_items(kTestItems, options.test_items, NovelCraftRole::novel_test);
  classes.push_back(gameplay("supplier", BlockNovelty::supplier, kSupplierStandard, std::nullopt));
  classes.push_back(gameplay("thief", BlockNovelty::thief, kThiefStandard, std::nullopt));
  return classes;
}

void play_block_episode(BlockNovelty novelty, const Block& block,
                        const BlockReleaseOptions& options, const Rng& rng,
                        const TakeBlockState& take) {
  BlockGame game = draw_block_game(novelty, block, rng);
  Rng pause = rng.fork("pauses");
  Rng sensor = rng.fork("sensors");
  for (;;) {
    std::optional<BlockCommand> command;
    if (!game.is_won() && game.step() + 1 < options.most_steps) {
      command = next_command(game);
    }
    Camera told = game.camera();
    if (options.position_noise > 0 || options.yaw_noise > 0) {
      told.x += options.position_noise * sensor.normal();
      told.z += options.position_noise * sensor.normal();
      told.yaw += options.yaw_noise * sensor.normal();
    }
    take(game, told, !command);
    if (!command) {
      return;
    }
    game.act(pause.uniform() < options.pauses ? BlockCommand{"NOP"} : *command);
  }
}

BlockReleaseCount write_block_release(const BlockReleaseOptions& options, std::uint64_t seed,
                                      const std::filesystem::path& folder, Progress& progress,
                                      const VideoModule* module) {
  const VideoModule& writer = module == nullptr ? video_module() : *module;
  const Rng rng(seed, "blocks");
  const std::vector<BlockReleaseClass> classes = block_release_classes(options);
  std::vector<EpisodeJob> jobs = release_jobs(classes, options.plus);
  write_whole_folder(folder, [&](const std::filesystem::path& beside) {
    progress.begin("episodes", static_cast<double>(jobs.size()));
    in_blocks(std::ssize(jobs), kEpisodesAtOnce, [&](Index begin, Index count) {
      for_each_index(count, [&](Index i) {
        write_episode(jobs[at(begin + i)], options, rng, writer, beside);
      });
      progress.advance(static_cast<double>(count));
    });
    progress.end();
    write_file(beside / "targets.csv", targets_csv(jobs, options.size));
    write_file(beside / "splits.csv", splits_csv(classes, jobs, options.size, rng));
    write_file(beside / "classes.csv", classes_csv(classes));
    write_file(beside / "episode_classes.csv", episode_classes_csv(classes));
  });
  BlockReleaseCount count{std::ssize(jobs), 0};
  for (const EpisodeJob& job : jobs) {
    count.frames += std::ssize(job.novel_pixels);
  }
  return count;
}

}  // namespace tyto
