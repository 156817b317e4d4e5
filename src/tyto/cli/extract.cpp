// SPDX-License-Identifier: Apache-2.0
// tyto extract SOURCES --backbone NAME|FILE --out DATASET
#include "tyto/engine/extract/extract.hpp"

#include <charconv>
#include <cstdio>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/settings.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/engine/extract/open_backbone.hpp"
#include "tyto/engine/extract/pixels.hpp"
#include "tyto/engine/extract/recipe_options.hpp"
#include "tyto/video/nuisance.hpp"

namespace tyto {

namespace {

using ExtractJson = nlohmann::ordered_json;

constexpr std::size_t kNamesShown = 5;

struct ExtractCall {
  std::vector<std::filesystem::path> sources;
  std::string network, per = "video", shard = "0/1";
  std::filesystem::path weights, segments, against;
  std::vector<std::string> set, nuisances;
  std::uint64_t seed = 0;
  ExtractOptions options;
  MediaOptions media;
  Index pixels = 0;
  bool untrimmed = false, float16 = false, merge = false, quiet = false, json = false;
  int threads = 0;
};

void read_shard(const std::string& text, ExtractOptions& options) {
  const std::size_t slash = text.find('/');
  const char *begin = text.data(), *end = begin + text.size();
  const bool whole = slash != text.npos &&
                     std::from_chars(begin, end, options.shard).ptr == begin + slash &&
                     std::from_chars(begin + slash + 1, end, options.shards).ptr == end;
  if (!whole || options.shards < 1 || options.shard < 0 || options.shard >= options.shards) {
    throw Error(
        ErrorKind::config,
        fmt::format("--shard takes I/N with I from 0 to N - 1, such as 0/4, not \"{}\"", text));
  }
}

void print_names(std::FILE* stream, const std::vector<std::string>& names, std::string_view what) {
  if (names.empty()) {
    return;
  }
  fmt::print(stream, "{} {}\n", names.size(), what);
  for (std::size_t i = 0; i < std::min(kNamesShown, names.size()); ++i) {
    fmt::print(stream, "  {}\n", names[i]);
  }
  if (names.size() > kNamesShown) {
    fmt::print(stream, "  ... and {} more\n", names.size() - kNamesShown);
  }
}

std::vector<std::string> sentences(const std::vector<MediaProblem>& problems) {
  std::vector<std::string> out;
  for (const MediaProblem& problem : problems) {
    out.push_back(problem.reason.find(problem.id) == std::string::npos
                      ? problem.id + ": " + problem.reason
                      : problem.reason);
  }
  return out;
}

ExtractJson problems_json(const std::vector<MediaProblem>& problems) {
  ExtractJson out = ExtractJson::array();
  for (const MediaProblem& problem : problems) {
    out.push_back({{"sample", problem.id}, {"reason", problem.reason}});
  }
  return out;
}

void print_json(const ExtractJson& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, ExtractJson::error_handler_t::replace));
}

void merge_and_print(const ExtractCall& call, const std::vector<MediaProblem>& before) {
  MergedShards merged = merge_shards(call.options.out);
  merged.problems.insert(merged.problems.begin(), before.begin(), before.end());
  if (call.json) {
    print_json({{"dataset", call.options.out.string()},
                {"samples", merged.samples},
                {"rows", merged.rows},
                {"problems", problems_json(merged.problems)}});
    return;
  }
  print_names(stderr, sentences(merged.problems), "could not be used:");
  fmt::print("{}: {} samples, {} rows; look at it with: tyto data card {}\n",
             call.options.out.string(), merged.samples, merged.rows, call.options.out.string());
}

// The media, and what the table of segments and the list to compare with say about them.
MediaList media_of(const ExtractCall& call) {
  MediaList media = find_media(call.sources, call.media);
  if (media.samples.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: there are no pictures or videos; {} files are of other kinds",
                            call.sources.front().string(), media.ignored));
  }
  if (!call.segments.empty()) {
    const Index ignored = media.ignored;
    media = media_segments(call.segments, media, call.untrimmed);
    media.ignored = ignored;
    if (media.samples.empty()) {
      throw Error(
          ErrorKind::data,
          fmt::format("{}: none of its videos is there; the first: {}", call.segments.string(),
                      media.problems.empty() ? "there is none" : media.problems.front().reason));
    }
  }
  if (!call.against.empty()) {
    const MediaComparison compared = compare_media(call.against, media);
    print_names(stderr, compared.missing, fmt::format("of {} are missing:", call.against.string()));
    print_names(stderr, compared.extra, fmt::format("are not in {}:", call.against.string()));
  }
  return media;
}

// A nuisance by name, or as `{name: blur, sigma_most: 4}`.
FeedVariant nuisance_variant(const std::string& text, std::uint64_t seed) {
  const ConfigNode node = parse_yaml(text, "--nuisance");
  const ConfigNode* named = node.find("name");
  const std::string name = named == nullptr ? node.text : named->text;
  const std::shared_ptr<const VisualNuisance> nuisance = make_nuisance(node, "--nuisance");
  return {name, [nuisance, name, seed](const MediaSample& sample) {
            return nuisance->draw(nuisance_stream(seed, name, sample.id)).change;
          }};
}

void extract_and_print(ExtractCall call) {
  if (call.merge) {
    merge_and_print(call, {});
    return;
  }
  if (call.sources.empty() || call.network.empty() == (call.pixels == 0)) {
    throw Error(ErrorKind::config,
                "say what to extract from and with what: tyto extract FOLDER --backbone "
                "NAME|FILE --out DATASET, or --pixels SIZE instead of a network");
  }
  if (call.untrimmed && call.segments.empty()) {
    throw Error(ErrorKind::config, "--untrimmed is about a table of segments; give --segments");
  }
  read_shard(call.shard, call.options);
  call.options.per_clip = call.per == "clip";
  call.options.type = call.float16 ? StoredAs::float16 : StoredAs::float32;
  if (call.threads > 0) {
    set_thread_count(call.threads);
  }
  for (const std::string& nuisance : call.nuisances) {
    call.options.changes.push_back(nuisance_variant(nuisance, call.seed));
  }
  const MediaList media = media_of(call);
  BackboneChoice choice{call.network, call.weights, ConfigNode::empty_map()};
  for (const std::string& setting : call.set) {
    apply_setting(choice.recipe, setting, "--set", recipe_help(), "a recipe");
  }
  call.options.pixels = call.pixels > 0;
  if (call.options.pixels) {
    call.options.per_clip = true;
    call.options.type = StoredAs::uint8;
  }
  const auto backbone =
      call.options.pixels ? pixel_backbone(call.pixels, choice.recipe) : open_backbone(choice);
  Progress::catch_interrupts();
  Progress progress(call.quiet ? nullptr : stderr);
  const ExtractOutcome outcome = extract_shard(*backbone, media, call.options, progress);
  if (call.options.shards == 1) {
    merge_and_print(call, media.problems);
    return;
  }
  if (call.json) {
    print_json({{"shard", call.options.shard},
                {"shards", call.options.shards},
                {"samples", outcome.samples},
                {"rows", outcome.rows},
                {"problems", problems_json(outcome.problems)}});
    return;
  }
  print_names(stderr, sentences(outcome.problems), "could not be used:");
  fmt::print(
      "shard {} of {}: {} samples, {} rows; once all are there: tyto extract --merge --out "
      "{}\n",
      call.options.shard, call.options.shards, outcome.samples, outcome.rows,
      call.options.out.string());
}

}  // namespace

void add_extract_command(CLI::App& app) {
  auto call = std::make_shared<ExtractCall>();
  CLI::App* verb =
      app.add_subcommand("extract", "Make a dataset of features from pictures or videos");
  verb->add_option("sources", call->sources, "Files and folders; folders in them are the classes");
  verb->add_option("--backbone", call->network,
                   "Network: a name (`tyto list backbone`) or a file: .yaml, .onnx, .pt, "
                   ".safetensors");
  verb->add_option("--pixels", call->pixels,
                   "No network: keep the pictures themselves, SIZE x SIZE pixels, every frame, to "
                   "train with")
      ->check(CLI::Range(1, 4096));
  verb->add_option("--weights", call->weights, "Checkpoint of a network by name");
  verb->add_option("--out", call->options.out, "Dataset to make")->required();
  verb->add_option("--set", call->set,
                   "Change the recipe: key=value, such as clips=4; `tyto explain recipe`")
      ->allow_extra_args(false);
  verb->add_option("--segments", call->segments,
                   "Table of parts of videos: video, start, end, label; a sample per row");
  verb->add_flag("--untrimmed", call->untrimmed,
                 "One sample per video of the table, the whole of it, with its longest segment");
  verb->add_option("--against", call->against,
                   "Table with ids: tell which are missing here and which are extra");
  verb->add_option("--per", call->per,
                   "video: a row per sample, the mean of its clips; clip: a row per clip")
      ->check(CLI::IsMember({"video", "clip"}))
      ->capture_default_str();
  verb->add_option("--nuisance", call->nuisances,
                   "Also of pictures changed so: a further source, features_<name>; `tyto list "
                   "nuisance`, may repeat")
      ->allow_extra_args(false);
  verb->add_option("--seed", call->seed, "Of the nuisances")->capture_default_str();
  verb->add_flag("--logits", call->options.logits, "Class scores too");
  verb->add_flag("--float16", call->float16, "Half the disk, three digits");
  verb->add_flag("--single-pictures", call->media.single_pictures,
                 "A folder of numbered pictures is no video");
  verb->add_option("--batch", call->options.batch, "Inputs through the network at a time")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  verb->add_option("--thumbnails", call->options.thumbnails,
                   "Samples with a small picture for reports, at most")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  verb->add_option("--shard", call->shard, "Part I of N, for job arrays: I/N, from 0")
      ->capture_default_str();
  verb->add_flag("--merge", call->merge, "Make the dataset of all shards that were extracted");
  verb->add_option("--threads", call->threads, "Threads of the network")
      ->check(CLI::Range(1, 1024));
  verb->add_flag("--quiet", call->quiet, "No progress");
  verb->add_flag("--json", call->json, "The answer as JSON");
  verb->footer(
      "Example: tyto extract videos --backbone resnet34 --weights resnet34.pth --out features\n"
      "The same command again continues what was cut short.");
  verb->callback([call] { extract_and_print(*call); });
}

}  // namespace tyto
