// SPDX-License-Identifier: Apache-2.0
// Simulated videos: what tells their classes apart, and what does not.
#include "tyto/world/sequences/sequences.hpp"

#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

Matrix all_frames(const Dataset& data) {
  std::vector<Index> rows(static_cast<std::size_t>(data.store->rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  Matrix values(data.store->rows(), data.store->shape("features").front());
  data.store->gather("features", rows, values);
  return values;
}

struct Action {
  std::string label;
  Matrix frames;  // of the action alone
};

std::vector<Action> actions_of(const Dataset& data) {
  const Matrix values = all_frames(data);
  std::vector<Action> actions;
  Index begin = 0;
  for (std::size_t i = 0; i < data.table.id.size(); ++i) {
    const Index first = std::stol(data.table.annotations.at("segment_first")[i]);
    const Index end = std::stol(data.table.annotations.at("segment_end")[i]);
    EXPECT_LT(first, end);
    EXPECT_LE(end, data.table.frames[i]);
    actions.push_back({data.table.label[i], values.middleRows(begin + first, end - first)});
    begin += data.table.frames[i];
  }
  EXPECT_EQ(begin, values.rows());
  return actions;
}

// Share of videos whose nearest other video, by what `describe` makes of the frames, is of their
// class.
template <class Describe>
double neighbour_right(const std::vector<Action>& actions, const Describe& describe) {
  std::vector<Vector> points;
  for (const Action& action : actions) {
    points.push_back(describe(action.frames));
  }
  Index right = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::size_t best = i == 0 ? 1 : 0;
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (j != i &&
          (points[j] - points[i]).squaredNorm() < (points[best] - points[i]).squaredNorm()) {
        best = j;
      }
    }
    right += actions[i].label == actions[best].label ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(points.size());
}

Vector mean_frame(const Matrix& frames) {
  return frames.colwise().mean().transpose();
}

// Means of the first, second, third and last quarter beside each other.
Vector quarters(const Matrix& frames) {
  const Index each = frames.rows() / 4;
  Vector out(4 * frames.cols());
  for (Index q = 0; q < 4; ++q) {
    out.segment(q * frames.cols(), frames.cols()) =
        frames.middleRows(q * each, each).colwise().mean().transpose();
  }
  return out;
}

SequenceOptions ten_classes(const std::string& told_by) {
  SequenceOptions options;
  options.classes = 10;
  options.videos = 20;
  options.told_by = told_by;
  return options;
}

TEST(Sequences, are_told_by_motion_in_the_order_of_frames_alone) {
  const std::vector<Action> actions = actions_of(make_sequences(ten_classes("motion"), 5));
  EXPECT_LT(neighbour_right(actions, mean_frame), 0.2) << "chance is 0.1";
  EXPECT_GT(neighbour_right(actions, quarters), 0.9);
}

TEST(Sequences, are_told_by_appearance_in_every_frame) {
  const std::vector<Action> actions = actions_of(make_sequences(ten_classes("appearance"), 5));
  EXPECT_GT(neighbour_right(actions, mean_frame), 0.8);
  const std::vector<Action> both = actions_of(make_sequences(ten_classes("both"), 5));
  EXPECT_GT(neighbour_right(both, mean_frame), 0.8);
  EXPECT_GT(neighbour_right(both, quarters), 0.9);
}

TEST(Sequences, show_the_same_frames_in_every_class_where_motion_tells) {
  SequenceOptions options = ten_classes("motion");
  options.noise = options.subject_spread = options.scene_spread = 0;
  std::set<std::multiset<float>> shown;  // of the first number, each pose for equally many frames
  for (const Action& action : actions_of(make_sequences(options, 5))) {
    std::map<float, Index> counts;
    for (Index f = 0; f < action.frames.rows(); ++f) {
      ++counts[action.frames(f, 0)];
    }
    std::multiset<float> poses;
    for (const auto& [value, count] : counts) {
      EXPECT_EQ(count * 4, action.frames.rows());
      poses.insert(value);
    }
    shown.insert(poses);
  }
  EXPECT_EQ(shown.size(), 1U);
}

TEST(Sequences, have_background_people_and_scenes_as_asked) {
  SequenceOptions options = ten_classes("both");
  options.videos = 100;
  options.background = 0.4;
  options.scene_bias = 0.75;
  const Dataset data = make_sequences(options, 5);
  double background = 0;
  Index own = 0;
  std::set<Index> lengths;
  for (std::size_t i = 0; i < data.table.id.size(); ++i) {
    const Index action = std::stol(data.table.annotations.at("segment_end")[i]) -
                         std::stol(data.table.annotations.at("segment_first")[i]);
    lengths.insert(action);
    EXPECT_GE(action, options.frames);
    EXPECT_LE(action, options.frames_most);
    background += 1 - static_cast<double>(action) / static_cast<double>(data.table.frames[i]);
    const Index c = std::stol(data.table.label[i].substr(7)) - 1;
    own += std::stol(data.table.annotations.at("scene")[i]) - 1 == c % options.scenes ? 1 : 0;
  }
  EXPECT_NEAR(background / 1000, 0.4, 0.03);
  EXPECT_NEAR(static_cast<double>(own) / 1000, 0.8, 0.05)
      << "three quarters, and a fifth of the rest";
  EXPECT_GT(lengths.size(), 2U);
  EXPECT_EQ(std::set(data.table.group.begin(), data.table.group.end()).size(), 20U);
  options.background = 0;
  EXPECT_EQ(make_sequences(options, 5).table.annotations.at("segment_first")[0], "0");
}

TEST(Sequences, are_the_same_for_a_seed) {
  const SequenceOptions options = ten_classes("both");
  const std::string digest = make_sequences(options, 5).store->digest();
  EXPECT_EQ(make_sequences(options, 5).store->digest(), digest);
  EXPECT_NE(make_sequences(options, 6).store->digest(), digest);
}

TEST(Sequences, have_enough_poses_to_tell_the_classes_by_their_order) {
  EXPECT_EQ(pose_count(2), 4);
  EXPECT_EQ(pose_count(24), 4);
  EXPECT_EQ(pose_count(25), 5);
  EXPECT_EQ(pose_count(5000), 7);
}

TEST(Sequences, are_refused_in_a_sentence) {
  const auto problem = [](const std::string& yaml) {
    try {
      build_world(parse_yaml("{kind: sequences, " + yaml + "}", "s.yaml"), "world", {}, 1);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(problem("frames: 20, frames_most: 10"),
              HasSubstr("world.frames_most: 10 is below frames, 20"));
  EXPECT_THAT(problem("videos: 1000000, classes: 1000"), HasSubstr("more than 1e+09 numbers"));
  EXPECT_THAT(problem("tasks: 21"), HasSubstr("20 classes cannot be dealt to 21 tasks"));
}

TEST(Sequences, stand_for_data_in_a_world_of_tasks) {
  const std::string simulated = "{kind: sequences, classes: 4, videos: 10}";
  const auto frames = [&](const std::string& trim) {
    const auto source = build_world(
        parse_yaml("{kind: tasks, tasks: 2, trim: " + trim + ", simulated: " + simulated + "}",
                   "s.yaml"),
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
