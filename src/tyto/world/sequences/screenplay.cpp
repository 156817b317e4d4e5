// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/sequences/screenplay.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/record/observed_columns.hpp"

namespace tyto {

namespace {

constexpr double kMostBackground = 0.95;  // of one video
constexpr Index kFewestPoses = 4;

}  // namespace

void ScreenplayOptions::describe(OptionVisitor& visitor) {
  static constexpr std::string_view kTold[] = {"both", "motion", "appearance"};
  visitor.field("classes", classes, {1, 5000}, "number of classes");
  visitor.field("videos", videos, {1, 1e6}, "videos of each class");
  visitor.field("told_by", told_by, kTold,
                "what tells classes apart. motion: the order of the frames alone; appearance: each "
                "frame by itself; both");
  visitor.field("frames", frames, {1, 1e5},
                "frames of action, at least; rounded up to as many for each pose");
  visitor.field("frames_most", frames_most, {1, 1e5}, "and at most");
  visitor.field("background", background, {0, 0.9},
                "mean share of the frames of a video before and after the action");
  visitor.field("subjects", subjects, {1, 1e5}, "people, who are the groups");
  visitor.field("scenes", scenes, {1, 1e5}, "places, seen in every frame of a video");
  visitor.field(
      "scene_bias", scene_bias, {0, 1},
      "share of the videos of a class that are made in the scene of that class, the others "
      "in any");
}

void ScreenplayOptions::check(std::string_view path, Index values, double most) const {
  if (frames_most < frames) {
    throw Error(ErrorKind::config,
                fmt::format("{}.frames_most: {} is below frames, {}", path, frames_most, frames));
  }
  const double all = static_cast<double>(classes) * static_cast<double>(videos) *
                     static_cast<double>(values) * static_cast<double>(frames_most) /
                     (1 - background);
  if (all > most) {
    throw Error(ErrorKind::config,
                fmt::format("{}.videos: {} of each of {} classes, with up to {} frames of {} "
                            "numbers, are more than {:g} numbers in all",
                            path, videos, classes, frames_most, values, most));
  }
}

Index pose_count(Index classes) {
  Index poses = 1;
  for (Index orders = 1; poses < kFewestPoses || orders < classes;) {
    orders *= ++poses;
  }
  return poses;
}

std::vector<Take> draw_takes(const ScreenplayOptions& options, const Rng& rng) {
  const Index poses = pose_count(options.classes);
  const Index least = (options.frames + poses - 1) / poses;
  const Index most = std::max(least, options.frames_most / poses);
  std::vector<Take> takes;
  Index begin = 0;
  for (Index c = 0; c < options.classes; ++c) {
    Rng draw = rng.fork("videos", static_cast<std::uint64_t>(c));
    const Index first_subject = draw.below(options.subjects);
    for (Index v = 0; v < options.videos; ++v) {
      Take take;
      take.actor_class = c;
      take.subject = (first_subject + v) % options.subjects;
      take.scene =
          draw.uniform() < options.scene_bias ? c % options.scenes : draw.below(options.scenes);
      take.hold = least + draw.below(most - least + 1);
      const double share = std::min(kMostBackground, 2 * options.background * draw.uniform());
      const auto around =
          std::lround(static_cast<double>(take.action(poses)) * share / (1 - share));
      take.before = draw.below(around + 1);
      take.after = around - take.before;
      take.begin = begin;
      begin += take.frames(poses);
      takes.push_back(take);
    }
  }
  return takes;
}

// Drawn among all there are.
std::vector<std::vector<Index>> draw_orders(Index classes, Rng rng) {
  std::vector<Index> order(at(pose_count(classes)));
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<std::vector<Index>> all;
  do {
    all.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  rng.shuffle(all);
  all.resize(at(classes));
  return all;
}

IndexTable table_of_takes(const std::vector<Take>& takes, Index poses) {
  IndexTable table;
  for (const Take& take : takes) {
    table.id.push_back(fmt::format("video {:06}", table.id.size()));
    table.label.push_back(fmt::format("action {:03}", take.actor_class + 1));
    table.group.push_back(fmt::format("person {:03}", take.subject + 1));
    table.frames.push_back(take.frames(poses));
    table.annotations[std::string(kAlteredColumn)].emplace_back(kUnaltered);
    table.annotations["scene"].push_back(fmt::to_string(take.scene + 1));
    table.annotations["segment_first"].push_back(fmt::to_string(take.before));
    table.annotations["segment_end"].push_back(fmt::to_string(take.before + take.action(poses)));
  }
  return table;
}

}  // namespace tyto
