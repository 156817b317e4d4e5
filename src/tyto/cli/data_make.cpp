// SPDX-License-Identifier: Apache-2.0
// tyto data make: a simulated world as files.
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/made_layout.hpp"
#include "tyto/cli/settings.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/whole_folder.hpp"
#include "tyto/world/blocks/block_release.hpp"
#include "tyto/world/made_data.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {

namespace {

struct DataMakeCall {
  std::string world, as = "dataset";
  std::vector<std::string> settings;
  std::filesystem::path out;
  std::uint64_t seed = 0;
};

void make_novelcraft(const DataMakeCall& call) {
  if (call.as != "dataset") {
    throw Error(ErrorKind::config,
                fmt::format("{} is written as its release lies on disk; --as {} is for the worlds "
                            "of `tyto list world`",
                            kNovelCraftLayout, call.as));
  }
  BlockReleaseOptions options;
  const Describe describe = [&](OptionVisitor& visitor) { options.describe(visitor); };
  ConfigNode node = ConfigNode::empty_map();
  for (const std::string& setting : call.settings) {
    apply_setting(node, setting, "--set", explain_options(describe), kNovelCraftLayout);
  }
  read_options(node, kNovelCraftLayout, describe);
  Progress::catch_interrupts();
  Progress progress(stderr);
  const BlockReleaseCount made = write_block_release(options, call.seed, call.out, progress);
  fmt::print("{}: {} episodes, {} frames, now in {}\n", kNovelCraftLayout, made.episodes,
             made.frames, call.out.string());
}

void make_and_save(const DataMakeCall& call) {
  expect_free_folder(call.out);  // before the work
  if (call.world == kNovelCraftLayout) {
    make_novelcraft(call);
    return;
  }
  const WorldSpec& spec = find_world(call.world);
  ConfigNode options = ConfigNode::empty_map();
  for (const std::string& setting : call.settings) {
    apply_setting(options, setting, "--set", spec.options, call.world);
  }
  options.put("kind", ConfigNode::scalar(call.world));
  const MadeAs as = call.as == "videos"     ? MadeAs::videos
                    : call.as == "pictures" ? MadeAs::pictures
                                            : MadeAs::dataset;
  const Dataset data = make_data(options, call.world, call.seed);
  Progress progress(stderr);
  write_made_data(data, as, call.out, progress);
  fmt::print("{}: {} samples, now in {}\n", data.name, data.table.size(), call.out.string());
}

}  // namespace

void add_data_make(CLI::App& data) {
  auto call = std::make_shared<DataMakeCall>();
  CLI::App* word = data.add_subcommand("make", "write a simulated world: clips, sequences, ...");
  word->add_option(
          "world", call->world,
          "a simulated world from `tyto list world`, or novelcraft: a generated world in the "
          "layout of NovelCraft")
      ->required();
  word->add_option("--out", call->out, "folder to make")->required();
  word->add_option("--as", call->as,
                   "dataset; of worlds that are drawn also videos (lossless .mkv) or pictures "
                   "(a folder of .png for each video)")
      ->check(CLI::IsMember({"dataset", "videos", "pictures"}))
      ->capture_default_str();
  word->add_option("--set", call->settings, "key=value, an option of the world; may repeat")
      ->allow_extra_args(false);
  word->add_option("--seed", call->seed, "of every draw")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  word->footer([] {  // looked up when asked for
    std::string lines =
        "Beside videos there are segments.csv (where the action is) and labels.csv.\n\n"
        "Options of a world: tyto explain NAME; of novelcraft:\n";
    BlockReleaseOptions options;
    for (const OptionHelp& option :
         explain_options([&](OptionVisitor& visitor) { options.describe(visitor); })) {
      lines += fmt::format("  {:<15} {} ({})\n", option.key, option.help, option.standard);
    }
    return lines +
           "\nExamples:\n  tyto data make clips --set told_by=motion --as videos --out clips\n"
           "  tyto data make novelcraft --set episodes=16 --set size=64 --out craft";
  });
  word->callback([call] { make_and_save(*call); });
}

}  // namespace tyto
