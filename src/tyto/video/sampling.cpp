// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/sampling.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tyto/core/named.hpp"
#include "tyto/core/segments.hpp"

namespace tyto {

namespace {

constexpr double kSpreadRate = 30.0;  // frames a second that SlowFast's strides are meant for

// Centres in test, at random in training where there is a generator.
using SampleFrames = std::vector<ClipFrames> (*)(const Recipe& recipe, Index n, double fps,
                                                 Rng* rng);

struct FrameRule : SamplingRule {
  bool single;  // clips of one frame
  SampleFrames sample;
};

std::vector<ClipFrames> one_by_one(const std::vector<Index>& frames) {
  std::vector<ClipFrames> clips;
  clips.reserve(frames.size());
  for (const Index frame : frames) {
    clips.push_back({frame});
  }
  return clips;
}

// The frames of a clip that begins at `start`; beyond the end the last one is repeated.
ClipFrames stretch_from(const Recipe& recipe, Index n, Index start) {
  ClipFrames clip;
  for (Index i = 0; i < recipe.frames; ++i) {
    clip.push_back(std::min(start + i * recipe.stride, n - 1));
  }
  return clip;
}

// One clip at a random place, all places alike.
std::vector<ClipFrames> stretch_anywhere(const Recipe& recipe, Index n, Rng& rng) {
  const Index places = n - (recipe.frames - 1) * recipe.stride;
  return {stretch_from(recipe, n, places > 1 ? rng.below(places) : 0)};
}

std::vector<ClipFrames> every_frames(const Recipe& recipe, Index n, double, Rng* rng) {
  std::vector<Index> frames;
  const Index first = rng != nullptr ? rng->below(std::min(recipe.stride, n)) : 0;
  for (Index frame = first; frame < n; frame += recipe.stride) {
    frames.push_back(frame);
  }
  return one_by_one(frames);
}

std::vector<ClipFrames> uniform_frames(const Recipe& recipe, Index n, double, Rng* rng) {
  if (rng != nullptr) {
    return one_by_one(drawn_frames(n, recipe.clips, *rng));
  }
  std::vector<Index> frames;
  for (Index k = 0; k < recipe.clips; ++k) {
    frames.push_back((2 * k + 1) * n / (2 * recipe.clips));
  }
  return one_by_one(frames);
}

std::vector<ClipFrames> segment_frames(const Recipe& recipe, Index n, double, Rng* rng) {
  return {rng != nullptr ? drawn_frames(n, recipe.frames, *rng) : centre_frames(n, recipe.frames)};
}

std::vector<ClipFrames> clip_after_clip(const Recipe& recipe, Index n, double, Rng* rng) {
  if (rng != nullptr) {
    return stretch_anywhere(recipe, n, *rng);
  }
  std::vector<ClipFrames> clips;
  for (Index start = 0; start < n; start += recipe.frames * recipe.stride) {
    clips.push_back(stretch_from(recipe, n, start));
  }
  return clips;
}

std::vector<ClipFrames> strided_clips(const Recipe& recipe, Index n, double, Rng* rng) {
  if (rng != nullptr) {
    return stretch_anywhere(recipe, n, *rng);
  }
  const Index q = std::max<Index>(0, n / recipe.stride - recipe.frames) / recipe.clips;
  std::vector<ClipFrames> clips;
  for (Index k = 0; k < recipe.clips; ++k) {
    clips.push_back(stretch_from(recipe, n, k * q * recipe.stride));
  }
  return clips;
}

// Numbers from `start` to `end` in float32, the first half counted from the start, the second back
// from the end: torch's rule. Where a place is nearly whole its vectors round otherwise, each
// machine its own way; one of 200 clips then has a frame beside that of torch.
ClipFrames evenly_between(double start, double end, Index count, Index n) {
  const auto first = static_cast<float>(start);
  const auto last = static_cast<float>(end);
  const float step = count > 1 ? (last - first) / static_cast<float>(count - 1) : 0.0F;
  const auto steps = [&](Index k) {  // rounded before it is added, whatever the compiler may fuse
    return static_cast<float>(static_cast<double>(step) * static_cast<double>(k));
  };
  ClipFrames clip;
  for (Index i = 0; i < count; ++i) {
    const float place =
        i < count / 2 || count == 1 ? first + steps(i) : last - steps(count - i - 1);
    clip.push_back(static_cast<Index>(std::clamp(place, 0.0F, static_cast<float>(n - 1))));
  }
  return clip;
}

std::vector<ClipFrames> spread_frames(const Recipe& recipe, Index n, double fps, Rng* rng) {
  const double span = static_cast<double>(recipe.stride * recipe.frames) / kSpreadRate *
                      (fps > 0.0 ? fps : kSpreadRate);
  const double spare = std::max(static_cast<double>(n) - span, 0.0);
  if (rng != nullptr) {
    const double start = spare * rng->uniform();
    return {evenly_between(start, start + span - 1.0, recipe.frames, n)};
  }
  std::vector<ClipFrames> clips;
  for (Index k = 0; k < recipe.clips; ++k) {
    const double start = spare * static_cast<double>(k) / static_cast<double>(recipe.clips);
    clips.push_back(evenly_between(start, start + span - 1.0, recipe.frames, n));
  }
  return clips;
}

std::vector<ClipFrames> snippet_frames(const Recipe& recipe, Index n, double, Rng* rng) {
  if (rng != nullptr) {
    return stretch_anywhere(recipe, n, *rng);
  }
  const Index length = (recipe.frames - 1) * recipe.stride + 1;
  return {stretch_from(recipe, n, std::max<Index>(0, n - length) / 2)};
}

std::vector<ClipFrames> all_frames(const Recipe&, Index n, double, Rng*) {
  std::vector<ClipFrames> clips;
  for (Index frame = 0; frame < n; ++frame) {
    clips.push_back({frame});
  }
  return clips;
}

const std::array<FrameRule, 8>& frame_rules() {
  static const std::array<FrameRule, 8> rules{{
      {{"every", "every stride-th frame, one by one"}, true, every_frames},
      {{"uniform", "so many frames, the middles of equal parts, one by one"}, true, uniform_frames},
      {{"segments", "one clip, a frame of each of equal parts (TSN)"}, false, segment_frames},
      {{"clips", "clips one after another over the whole video"}, false, clip_after_clip},
      {{"strided", "so many clips of every stride-th frame from the first on (released KOWL)"},
       false,
       strided_clips},
      {{"spread", "so many clips spread evenly, strides by the clock (SlowFast)"},
       false,
       spread_frames},
      {{"snippet", "one clip from the middle (I3D, P3D)"}, false, snippet_frames},
      {{"all", "every frame, one by one"}, true, all_frames},
  }};
  return rules;
}

void check_numbers(const Recipe& recipe, const FrameRule& rule) {
  if (rule.single && recipe.frames != 1) {
    throw Error(ErrorKind::config,
                fmt::format("sampling \"{}\" gives clips of one frame, and the network wants {}",
                            rule.name, recipe.frames));
  }
  const auto positive = [&](std::string_view key, Index value) {
    if (value < 1) {
      throw Error(
          ErrorKind::config,
          fmt::format("sampling \"{}\": {} is {}, and must be at least 1", rule.name, key, value));
    }
  };
  positive("frames", recipe.frames);
  positive("stride", recipe.stride);
  positive("clips", recipe.clips);
}

std::vector<ClipFrames> clips_by_rule(const Recipe& recipe, Index n, double fps, Rng* rng) {
  TYTO_ASSERT(n > 0);
  const FrameRule& rule = find_named(frame_rules(), "sampling rule", recipe.sampling);
  check_numbers(recipe, rule);
  return rule.sample(recipe, n, fps, rng);
}

}  // namespace

std::span<const SamplingRule> sampling_rules() {
  static const std::vector<SamplingRule> rules(frame_rules().begin(), frame_rules().end());
  return rules;
}

std::vector<ClipFrames> sampled_clips(const Recipe& recipe, Index n, double fps) {
  return clips_by_rule(recipe, n, fps, nullptr);
}

std::vector<ClipFrames> drawn_clips(const Recipe& recipe, Index n, double fps, Rng& rng) {
  return clips_by_rule(recipe, n, fps, &rng);
}

}  // namespace tyto
