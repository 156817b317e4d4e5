// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/sequences/sequences.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

namespace {

constexpr double kMostValues = 1e9;       // floats, 4 GB
constexpr double kMostBackground = 0.95;  // of one video
constexpr Index kFewestPoses = 4;

struct Video {
  Index actor_class = 0, subject = 0, scene = 0;
  Index before = 0, hold = 1, after = 0;  // frames of background, and of each pose
  Index begin = 0;                        // its first row of the store
};

// Everything that videos share.
struct Studio {
  Matrix poses;  // the last one: at rest
  Matrix looks;  // of each class
  Matrix subjects, scenes;
  std::vector<std::vector<Index>> orders;  // of the poses, by class
};

Matrix normals(Index rows, Index columns, double spread, Rng rng) {
  Matrix values(rows, columns);
  for (Index i = 0; i < values.size(); ++i) {
    values.data()[i] = static_cast<float>(spread * rng.normal());
  }
  return values;
}

// Distinct orders of the poses, drawn among all there are.
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

Studio make_studio(const SequenceOptions& options, const Rng& rng) {
  const Index poses = pose_count(options.classes);
  Studio studio;
  studio.poses = normals(poses + 1, options.width, 1, rng.fork("poses"));
  studio.looks = normals(options.classes, options.width, options.told_by == "motion" ? 0 : 0.5,
                         rng.fork("looks"));
  studio.subjects =
      normals(options.subjects, options.width, options.subject_spread, rng.fork("subjects"));
  studio.scenes = normals(options.scenes, options.width, options.scene_spread, rng.fork("scenes"));
  studio.orders = draw_orders(options.classes, rng.fork("orders"));
  return studio;
}

std::vector<Video> draw_videos(const SequenceOptions& options, const Rng& rng) {
  const Index poses = pose_count(options.classes);
  const Index least = (options.frames + poses - 1) / poses;
  const Index most = std::max(least, options.frames_most / poses);
  std::vector<Video> videos;
  Index begin = 0;
  for (Index c = 0; c < options.classes; ++c) {
    Rng draw = rng.fork("videos", static_cast<std::uint64_t>(c));
    const Index first_subject = draw.below(options.subjects);
    for (Index v = 0; v < options.videos; ++v) {
      Video video;
      video.actor_class = c;
      video.subject = (first_subject + v) % options.subjects;
      video.scene =
          draw.uniform() < options.scene_bias ? c % options.scenes : draw.below(options.scenes);
      video.hold = least + draw.below(most - least + 1);
      const double share = std::min(kMostBackground, 2 * options.background * draw.uniform());
      const auto around =
          std::lround(static_cast<double>(poses * video.hold) * share / (1 - share));
      video.before = draw.below(around + 1);
      video.after = around - video.before;
      video.begin = begin;
      begin += around + poses * video.hold;
      videos.push_back(video);
    }
  }
  return videos;
}

void film(const Video& video, const Studio& studio, bool own_order, double noise, Rng rng,
          Matrix& frames) {
  const Index poses = studio.poses.rows() - 1;
  std::vector<Index> order = studio.orders[at(video.actor_class)];
  if (!own_order) {
    rng.shuffle(order);
  }
  const Index action = poses * video.hold;
  for (Index f = 0; f < video.before + action + video.after; ++f) {
    const Index moment = f - video.before;
    const bool acts = moment >= 0 && moment < action;
    auto row = frames.row(video.begin + f);
    row = studio.scenes.row(video.scene) + studio.subjects.row(video.subject);
    if (acts) {
      row += studio.poses.row(order[at(moment / video.hold)]) + studio.looks.row(video.actor_class);
    } else {
      row += studio.poses.row(poses);
    }
    for (Index j = 0; j < frames.cols(); ++j) {
      row(j) += static_cast<float>(noise * rng.normal());
    }
  }
}

}  // namespace

void SequenceOptions::describe(OptionVisitor& visitor) {
  static constexpr std::string_view kTold[] = {"both", "motion", "appearance"};
  visitor.field("classes", classes, {1, 5000}, "number of classes");
  visitor.field("videos", videos, {1, 1e6}, "videos of each class");
  visitor.field("told_by", told_by, kTold,
                "what tells classes apart. motion: the order of the frames alone; appearance: each "
                "frame by itself; both");
  visitor.field("width", width, {1, 1e5}, "numbers of a frame");
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
  visitor.field("noise", noise, {0, 100}, "of each number of a frame; poses have deviation 1");
  visitor.field("subject_spread", subject_spread, {0, 100}, "deviation between people");
  visitor.field("scene_spread", scene_spread, {0, 100}, "deviation between scenes");
  deal.describe(visitor);
}

void SequenceOptions::check() const {
  if (frames_most < frames) {
    throw Error(ErrorKind::config, fmt::format("{}.frames_most: {} is below frames, {}", deal.path,
                                               frames_most, frames));
  }
  const double values = static_cast<double>(classes) * static_cast<double>(videos) *
                        static_cast<double>(width) * static_cast<double>(frames_most) /
                        (1 - background);
  if (values > kMostValues) {
    throw Error(ErrorKind::config,
                fmt::format("{}.videos: {} of each of {} classes, with up to {} frames of {} "
                            "numbers, are more than {:g} numbers in all",
                            deal.path, videos, classes, frames_most, width, kMostValues));
  }
  deal.check();
}

Index pose_count(Index classes) {
  Index poses = 1;
  for (Index orders = 1; poses < kFewestPoses || orders < classes;) {
    orders *= ++poses;
  }
  return poses;
}

Dataset make_sequences(const SequenceOptions& options, std::uint64_t seed) {
  options.check();
  const Rng rng(seed, "sequences");
  const Studio studio = make_studio(options, rng);
  const std::vector<Video> videos = draw_videos(options, rng);
  const Index poses = pose_count(options.classes);
  Dataset dataset;
  dataset.name = "sequences";
  dataset.summary = "simulated videos as runs of frames";
  IndexTable& table = dataset.table;
  for (const Video& video : videos) {
    const Index end = video.before + poses * video.hold;
    table.id.push_back(fmt::format("video {:06}", table.id.size()));
    table.label.push_back(fmt::format("action {:03}", video.actor_class + 1));
    table.group.push_back(fmt::format("person {:03}", video.subject + 1));
    table.frames.push_back(end + video.after);
    table.annotations["scene"].push_back(fmt::to_string(video.scene + 1));
    table.annotations["segment_first"].push_back(fmt::to_string(video.before));
    table.annotations["segment_end"].push_back(fmt::to_string(end));
  }
  Matrix frames(videos.back().begin + table.frames.back(), options.width);
  for_each_index(std::ssize(videos), [&](Index v) {
    film(videos[at(v)], studio, options.told_by != "appearance", options.noise,
         rng.fork("film", static_cast<std::uint64_t>(v)), frames);
  });
  dataset.store = std::make_shared<const DenseStore>(std::move(frames));
  return dataset;
}

}  // namespace tyto
