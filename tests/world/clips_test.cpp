// SPDX-License-Identifier: Apache-2.0
// Simulated clips: a rule that knows the truth tells their classes, and what must not tell does
// not.
#include "tyto/world/clips/clips.hpp"

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/video/planar.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

struct Clip {
  Index label = 0;
  std::vector<Picture> frames;  // of the action alone
};

std::vector<Clip> clips_of(const Dataset& data) {
  const std::vector<Index> shape = data.store->shape("rgb");
  std::vector<Clip> clips;
  Index begin = 0;
  for (std::size_t i = 0; i < data.table.id.size(); ++i) {
    Clip clip;
    clip.label = std::stol(data.table.label[i].substr(7)) - 1;
    const Index first = std::stol(data.table.annotations.at("segment_first")[i]);
    const Index end = std::stol(data.table.annotations.at("segment_end")[i]);
    std::vector<Index> rows(static_cast<std::size_t>(end - first));
    std::iota(rows.begin(), rows.end(), begin + first);
    Matrix values(end - first, shape[0] * shape[1] * shape[2]);
    data.store->gather("rgb", rows, values);
    for (Index f = 0; f < values.rows(); ++f) {
      clip.frames.push_back(picture_of_planes(&values(f, 0), shape[2], shape[1]));
    }
    clips.push_back(std::move(clip));
    begin += data.table.frames[i];
  }
  EXPECT_EQ(begin, data.store->rows());
  return clips;
}

struct Seen {
  double x = 0, y = 0;  // centre of what is coloured
  double hue = 0;       // in [0, 1)
};

// Backgrounds are almost grey, shapes are not.
Seen look_at(const Picture& frame) {
  double weight = 0;
  double x_sum = 0;
  double y_sum = 0;
  std::array<double, 3> colour{};
  for (Index y = 0; y < frame.height; ++y) {
    for (Index x = 0; x < frame.width; ++x) {
      const std::uint8_t* p = frame.pixel(x, y);
      const double range = std::max({p[0], p[1], p[2]}) - std::min({p[0], p[1], p[2]});
      if (range > 60) {
        weight += range;
        x_sum += range * static_cast<double>(x);
        y_sum += range * static_cast<double>(y);
        for (std::size_t c = 0; c < 3; ++c) {
          colour[c] += p[c];
        }
      }
    }
  }
  // The angle in the plane across grey.
  const double turn =
      std::atan2(std::sqrt(3.0) * (colour[1] - colour[2]), 2 * colour[0] - colour[1] - colour[2]) /
      (2 * M_PI);
  return {x_sum / weight, y_sum / weight, turn < 0 ? turn + 1 : turn};
}

// Where the shape was in each part of the action, by the nearest place.
Index class_by_motion(const Clip& clip, const ClipStudio& studio) {
  const auto poses = std::ssize(studio.places) - 1;
  const Index hold = std::ssize(clip.frames) / poses;
  std::vector<Index> order;
  for (Index p = 0; p < poses; ++p) {
    double x = 0;
    double y = 0;
    for (Index f = p * hold; f < (p + 1) * hold; ++f) {
      const Seen seen = look_at(clip.frames[at(f)]);
      x += seen.x / static_cast<double>(hold);
      y += seen.y / static_cast<double>(hold);
    }
    const auto way = [&](Index place) {
      return std::hypot(x - studio.places[at(place)][0], y - studio.places[at(place)][1]);
    };
    Index best = 0;
    for (Index place = 1; place < poses; ++place) {
      best = way(place) < way(best) ? place : best;
    }
    order.push_back(best);
  }
  return std::find(studio.orders.begin(), studio.orders.end(), order) - studio.orders.begin();
}

Index class_by_colour(const Clip& clip, const ClipStudio& studio) {
  const double hue = look_at(clip.frames.front()).hue;  // one frame is enough
  const auto way = [&](std::size_t c) {
    const double apart = std::abs(hue - studio.looks[c].hue);
    return std::min(apart, 1 - apart);
  };
  std::size_t best = 0;
  for (std::size_t c = 1; c < studio.looks.size(); ++c) {
    best = way(c) < way(best) ? c : best;
  }
  return static_cast<Index>(best);
}

template <class Rule>
double share_right(const std::vector<Clip>& clips, const Rule& rule) {
  Index right = 0;
  for (const Clip& clip : clips) {
    right += rule(clip) == clip.label ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(clips.size());
}

// The class whose mean frame, over half of the videos, is nearest to a frame of the other half.
double frames_right_by_mean(const std::vector<Clip>& clips, Index classes) {
  const auto row = [](const Picture& frame) {
    return Eigen::Map<const Eigen::Matrix<std::uint8_t, 1, Eigen::Dynamic>>(frame.rgb.data(),
                                                                            std::ssize(frame.rgb))
        .cast<double>()
        .eval();
  };
  const Index values = std::ssize(clips.front().frames.front().rgb);
  Dense<double> means = Dense<double>::Zero(classes, values);
  std::vector<double> counts(at(classes), 0);
  for (std::size_t i = 0; i < clips.size(); i += 2) {
    for (const Picture& frame : clips[i].frames) {
      means.row(clips[i].label) += row(frame);
      ++counts[at(clips[i].label)];
    }
  }
  for (Index c = 0; c < classes; ++c) {
    means.row(c) /= counts[at(c)];
  }
  double right = 0;
  double all = 0;
  for (std::size_t i = 1; i < clips.size(); i += 2) {
    for (const Picture& frame : clips[i].frames) {
      Index best = 0;
      (means.rowwise() - row(frame)).rowwise().squaredNorm().minCoeff(&best);
      right += best == clips[i].label ? 1 : 0;
      ++all;
    }
  }
  return right / all;
}

ClipOptions ten_kinds(const std::string& told_by) {
  ClipOptions options;
  options.classes = 10;
  options.told_by = told_by;
  return options;
}

TEST(Clips, told_by_motion_allow_everything_to_a_rule_and_nothing_to_single_frames) {
  const ClipOptions options = ten_kinds("motion");
  const std::vector<Clip> clips = clips_of(make_clips(options, 5));
  const ClipStudio studio = make_clip_studio(options, 5);
  EXPECT_GT(share_right(clips, [&](const Clip& c) { return class_by_motion(c, studio); }), 0.99);
  EXPECT_LT(share_right(clips, [&](const Clip& c) { return class_by_colour(c, studio); }), 0.2);
  EXPECT_LT(frames_right_by_mean(clips, 10), 0.16) << "chance is 0.1";
}

TEST(Clips, told_by_appearance_are_told_in_one_frame_and_not_by_motion) {
  const ClipOptions options = ten_kinds("appearance");
  const std::vector<Clip> clips = clips_of(make_clips(options, 5));
  const ClipStudio studio = make_clip_studio(options, 5);
  EXPECT_GT(share_right(clips, [&](const Clip& c) { return class_by_colour(c, studio); }), 0.99);
  EXPECT_LT(share_right(clips, [&](const Clip& c) { return class_by_motion(c, studio); }), 0.2);
  EXPECT_GT(frames_right_by_mean(clips, 10), 0.3);
}

TEST(Clips, told_by_both_are_told_either_way) {
  ClipOptions options;  // twenty classes
  const std::vector<Clip> clips = clips_of(make_clips(options, 7));
  const ClipStudio studio = make_clip_studio(options, 7);
  EXPECT_GT(share_right(clips, [&](const Clip& c) { return class_by_motion(c, studio); }), 0.99);
  EXPECT_GT(share_right(clips, [&](const Clip& c) { return class_by_colour(c, studio); }), 0.99);
}

TEST(Clips, have_bounded_frames_background_people_and_scenes) {
  ClipOptions options = ten_kinds("both");
  options.scene_bias = 1;
  const Dataset data = make_clips(options, 5);
  std::set<Index> lengths;
  bool has_background = false;
  for (std::size_t i = 0; i < data.table.id.size(); ++i) {
    const Index action = std::stol(data.table.annotations.at("segment_end")[i]) -
                         std::stol(data.table.annotations.at("segment_first")[i]);
    lengths.insert(action);
    has_background = has_background || action < data.table.frames[i];
    const Index c = std::stol(data.table.label[i].substr(7)) - 1;
    EXPECT_EQ(std::stol(data.table.annotations.at("scene")[i]) - 1, c % options.scenes);
  }
  EXPECT_EQ(*lengths.begin(), 8);
  EXPECT_EQ(*lengths.rbegin(), 24);
  EXPECT_TRUE(has_background);
  EXPECT_EQ(std::set(data.table.group.begin(), data.table.group.end()).size(), 20U);
  EXPECT_EQ(data.store->shape("rgb"), (std::vector<Index>{3, 32, 32}));
  EXPECT_EQ(data.store->shape("features"), (std::vector<Index>{192}));
}

TEST(Clips, have_features_that_are_the_pictures_made_small) {
  ClipOptions options = ten_kinds("both");
  options.width = 20;  // cells of two and three pixels
  options.height = 16;
  options.classes = options.videos = 2;
  const Dataset data = make_clips(options, 5);
  const std::vector<Index> row{1};
  Matrix rgb(1, 3 * 20 * 16);
  Matrix features(1, 192);
  data.store->gather("rgb", row, rgb);
  data.store->gather("features", row, features);
  double sum = 0;  // green, the second cell down and the third across
  for (Index y = 2; y < 4; ++y) {
    for (Index x = 5; x < 7; ++x) {
      sum += rgb(0, (16 + y) * 20 + x);
    }
  }
  EXPECT_NEAR(features(0, 64 + 8 + 2), sum / 4 / 255, 1e-6);
}

TEST(Clips, are_the_same_for_a_seed_and_made_quickly) {
  const std::string digest = make_clips(ClipOptions(), 5).store->digest();
  EXPECT_EQ(make_clips(ClipOptions(), 5).store->digest(), digest);
  EXPECT_NE(make_clips(ClipOptions(), 6).store->digest(), digest);
}

TEST(Clips, are_refused_in_a_sentence) {
  const auto problem = [](const std::string& yaml) {
    try {
      build_world(parse_yaml("{kind: clips, " + yaml + "}", "s.yaml"), "world", {}, 1);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(problem("frames: 20, frames_most: 10"),
              HasSubstr("world.frames_most: 10 is below frames, 20"));
  EXPECT_THAT(problem("videos: 100000, classes: 1000"), HasSubstr("more than 4e+09 numbers"));
  EXPECT_THAT(problem("widht: 20"), HasSubstr("did you mean \"width\"?"));
}

TEST(Clips, are_dealt_in_tasks_trimmed_and_untrimmed) {
  const auto frames = [&](const std::string& trim) {
    const auto source = build_world(
        parse_yaml("{kind: clips, classes: 4, videos: 10, tasks: 2, trim: " + trim + "}", "s.yaml"),
        "world", {}, 1);
    const auto world = source->make_world({});
    Index sum = 0;
    while (world->advance()) {
      const Samples& train = world->deal().find("train")->samples;
      for (Index i = 0; i < train.size(); ++i) {
        sum += train.frame_count(i);
      }
    }
    return sum;
  };
  EXPECT_LT(frames("trimmed"), frames("untrimmed"));
}

}  // namespace
}  // namespace tyto
