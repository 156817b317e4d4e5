// SPDX-License-Identifier: Apache-2.0
// Decoding against the ffmpeg program that decodes and throws away, extraction against the network
// alone, in turns in the same run; and resizing. Needs the clips of ../shared/data and, for the
// first, the program ffmpeg. The clock and the processor's time, which tells more on a busy
// machine.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "peers.hpp"
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "tyto/core/parallel.hpp"
#include "tyto/video/module.hpp"
#include "tyto/video/prepare.hpp"
#include "tyto/video/sampling.hpp"

namespace {

using tyto::Index;
using tyto::peers::seconds;

// Of this process, or of those it has waited for.
double processor_s(bool children) {
  rusage used{};
  ::getrusage(children ? RUSAGE_CHILDREN : RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

const std::filesystem::path kData = TYTO_SOURCE_DIR "/../shared/data";

// Clips of one kind, told by the beginnings or ends of their names.
std::vector<std::filesystem::path> clips_like(const std::string& pattern) {
  std::vector<std::filesystem::path> found;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(kData / "clips", absent)) {
    const std::string name = entry.path().filename().string();
    if (pattern == "small"
            ? name.starts_with("k400_")
            : name.ends_with(".avi") || (name.ends_with(".mp4") && !name.starts_with("k400_"))) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

tyto::Recipe mobilenet_recipe() {
  tyto::Recipe recipe;
  recipe.resizer = tyto::Resizer::area;
  recipe.fit = tyto::Fit::stretch;
  recipe.width = recipe.height = 224;
  recipe.crop_width = recipe.crop_height = 0;
  recipe.mean = recipe.deviation = {0.5F, 0.5F, 0.5F};
  return recipe;
}

// Opening a clip decodes all of it; 1: small clips of 144 lines, 0: the others.
void decode(benchmark::State& state) {
  tyto::set_thread_count(static_cast<int>(state.range(1)));
  const auto clips = clips_like(state.range(0) == 1 ? "small" : "others");
  if (clips.empty()) {
    state.SkipWithError("the clips are not here");
    return;
  }
  double ours_s = 0.0;
  double plain_s = 0.0;
  double ours_processor_s = 0.0;
  Index frames = 0;
  (void)tyto::video_module();
  const double before_s = processor_s(true);
  for (auto _ : state) {
    for (const auto& clip : clips) {
      const std::string command =
          fmt::format("ffmpeg -nostdin -v quiet -threads {} -i '{}' -map 0:v:0 -f null -",
                      state.range(1), clip.string());
      plain_s += seconds([&] { benchmark::DoNotOptimize(std::system(command.c_str())); });
      const double begin_s = processor_s(false);
      ours_s += seconds([&] { frames += tyto::video_module().open_video(clip)->facts().frames; });
      ours_processor_s += processor_s(false) - begin_s;
    }
  }
  const double plain_processor_s = processor_s(true) - before_s;
  constexpr int kStarts = 10;  // what starting the program costs is no decoding
  for (int i = 0; i < kStarts; ++i) {
    benchmark::DoNotOptimize(std::system("ffmpeg -v quiet -version > /dev/null"));
  }
  const double start_s = (processor_s(true) - before_s - plain_processor_s) / kStarts;
  const auto runs = static_cast<double>(state.iterations()) * static_cast<double>(clips.size());
  state.counters["frames_per_s"] = static_cast<double>(frames) / ours_s;
  state.counters["frames_per_processor_s"] = static_cast<double>(frames) / ours_processor_s;
  state.counters["times_ffmpeg"] = ours_s / plain_s;
  state.counters["processor_times_ffmpeg"] = ours_processor_s / plain_processor_s;
  state.counters["less_its_start"] = ours_processor_s / (plain_processor_s - runs * start_s);
  state.SetIterationTime(ours_s);
}

// Eight frames of each clip through the network; what everything else costs.
void extract(benchmark::State& state) {
  tyto::set_thread_count(static_cast<int>(state.range(1)));
  const auto clips = clips_like(state.range(0) == 1 ? "small" : "others");
  if (clips.empty()) {
    state.SkipWithError("the clips are not here");
    return;
  }
  const auto network = tyto::video_module().open_onnx(
      kData / "backbone" / "mobilenetv2_coco_backbone.onnx", mobilenet_recipe(), {});
  double open_s = 0.0;
  double read_s = 0.0;
  double prepare_s = 0.0;
  double network_s = 0.0;
  for (auto _ : state) {
    for (const auto& clip : clips) {
      std::unique_ptr<tyto::VideoReader> video;
      open_s += seconds([&] { video = tyto::video_module().open_video(clip); });
      std::vector<Index> wanted;
      for (const auto& frames :
           tyto::sampled_clips(network->recipe(), video->facts().frames, video->facts().fps)) {
        wanted.push_back(frames[0]);
      }
      std::vector<tyto::Picture> pictures;
      read_s += seconds([&] {
        video->read(wanted, [&](Index, const tyto::Picture& p) { pictures.push_back(p); });
      });
      std::vector<float> inputs;
      prepare_s += seconds([&] {
        for (const tyto::Picture& picture : pictures) {
          tyto::prepare_clip(network->recipe(), std::span(&picture, 1), inputs);
        }
      });
      network_s += seconds([&] {
        benchmark::DoNotOptimize(network->run(inputs, 8, {3, 1, 224, 224}));
      });
    }
  }
  const double all_s = open_s + read_s + prepare_s + network_s;
  const auto runs = static_cast<double>(state.iterations()) * static_cast<double>(clips.size());
  state.counters["clips_per_s"] = runs / all_s;
  state.counters["open_ms"] = 1e3 * open_s / runs;
  state.counters["read_ms"] = 1e3 * read_s / runs;
  state.counters["prepare_ms"] = 1e3 * prepare_s / runs;
  state.counters["network_ms"] = 1e3 * network_s / runs;
  state.counters["times_network"] = all_s / network_s;
  state.SetIterationTime(all_s);
}

void resize(benchmark::State& state) {
  tyto::Picture picture(state.range(0), state.range(1));
  for (std::size_t i = 0; i < picture.rgb.size(); ++i) {
    picture.rgb[i] = static_cast<std::uint8_t>(i * 37 % 251);
  }
  const auto how = static_cast<tyto::Resizer>(state.range(2));
  for (auto _ : state) {
    benchmark::DoNotOptimize(tyto::resized(picture, how, 224, 224));
  }
  state.counters["megapixels_per_s"] =
      benchmark::Counter(1e-6 * static_cast<double>(picture.width * picture.height),
                         benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(decode)
    ->ArgNames({"small", "threads"})
    ->ArgsProduct({{0, 1}, {1, 2}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK(extract)
    ->ArgNames({"small", "threads"})
    ->ArgsProduct({{0, 1}, {1, 2}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK(resize)
    ->ArgNames({"width", "height", "resizer"})
    ->ArgsProduct({{320}, {240}, {1, 2, 4}})
    ->ArgsProduct({{1280}, {720}, {1, 2, 4}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
