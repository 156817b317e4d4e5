// SPDX-License-Identifier: Apache-2.0
// The frame-level sets as they are: counts, and the baselines that their READMEs state.
#include <algorithm>
#include <numeric>

#include "data/frame_baseline.hpp"
#include "sample/store_helpers.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/random.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/data/import.hpp"

namespace tyto {
namespace {

constexpr double kShown = 5e-4;  // the READMEs state per cent with one digit

#define TYTO_NEEDS(name)                                                      \
  if (!std::filesystem::exists(frame_data(name))) {                           \
    GTEST_SKIP() << "skipped: " << frame_data(name).string() << " not found"; \
  }

Index frames_of(const Dataset& data) {
  return data.store->rows();
}

auto trained(const Dataset& data) {
  return std::count(data.table.split.begin(), data.table.split.end(), "train");
}

// Frames per sample: the least and the most.
std::pair<Index, Index> extremes(const Dataset& data) {
  const auto [least, most] =
      std::minmax_element(data.table.frames.begin(), data.table.frames.end());
  return {*least, *most};
}

// Every segment lies in its run; the frames in segments.
Index frames_in_segments(const Dataset& data) {
  Index sum = 0;
  for (Index i = 0; i < data.table.size(); ++i) {
    const Index first = std::stol(data.table.annotations.at("segment_first")[at(i)]);
    const Index end = std::stol(data.table.annotations.at("segment_end")[at(i)]);
    EXPECT_TRUE(0 <= first && first < end && end <= data.table.frames[at(i)])
        << data.table.id[at(i)];
    sum += end - first;
  }
  return sum;
}

TEST(FrameSets, ucf101_has_the_official_splits_and_the_stated_accuracy) {
  TYTO_NEEDS("ucf101_vgg16_frames")
  const auto folder = frame_data("ucf101_vgg16_frames");
  const Dataset data = import_dataset("ucf101_vgg16_frames", folder);
  EXPECT_EQ(data.table.size(), 2010);
  EXPECT_EQ(frames_of(data), 50250);
  EXPECT_EQ(distinct(data.table.group), 375U);
  EXPECT_EQ(trained(data), 1442);
  EXPECT_EQ(data.table.id.front(), "v_ApplyEyeMakeup_g01_c01");
  EXPECT_EQ(frames_between(data, 0, 1)(0, 0), 12.9453125F);
  const Dense<double> means = frame_statistics(data);
  EXPECT_NEAR(nearest_class_mean(data, means, false), 0.864, kShown);
  EXPECT_NEAR(nearest_class_mean(data, means, true), 0.908, kShown);
  for (const char* variant : {"split2", "split3"}) {
    const Dataset other = import_dataset("ucf101_vgg16_frames", folder, variant);
    EXPECT_NE(other.table.split, data.table.split);
    std::map<std::string, std::set<std::string>> sides;
    for (std::size_t i = 0; i < other.table.id.size(); ++i) {
      sides[other.table.group[i]].insert(other.table.split[i]);
    }
    EXPECT_TRUE(std::all_of(sides.begin(), sides.end(),
                            [](const auto& group) { return group.second.size() == 1; }));
  }
}

// 28 % of the videos, or 7 of the 25 groups of each class, are for testing.
TEST(FrameSets, ucf101_split_by_video_leaks_what_a_split_by_group_does_not) {
  TYTO_NEEDS("ucf101_vgg16_frames")
  const Dataset data =
      import_dataset("ucf101_vgg16_frames", frame_data("ucf101_vgg16_frames"), "random");
  const Dense<double> means = frame_statistics(data);
  Rng rng(1, "leak");
  std::vector<bool> by_video;
  std::vector<bool> by_group;
  std::map<std::string, bool> trains;
  std::vector<Index> numbers(25);
  std::iota(numbers.begin(), numbers.end(), Index{1});
  rng.shuffle(numbers);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    trains[fmt::format("g{:02}", numbers[k])] = k >= 7;
  }
  for (const std::string& group : data.table.annotations.at("ucf_group")) {
    by_video.push_back(rng.uniform() >= 0.28);
    by_group.push_back(trains.at(group.substr(group.size() - 3)));
  }
  const double video = nearest_neighbour(means, data.table.label, by_video);
  const double group = nearest_neighbour(means, data.table.label, by_group);
  EXPECT_NEAR(video, 0.988, 0.01);
  EXPECT_NEAR(group, 0.849, 0.03);
}

TEST(FrameSets, isl_kinect30_tells_signs_of_other_signers_as_stated) {
  TYTO_NEEDS("isl_kinect30")
  const Dataset data = import_dataset("isl_kinect30", frame_data("isl_kinect30"));
  EXPECT_EQ(data.table.size(), 2700);
  EXPECT_EQ(frames_of(data), 201054);
  EXPECT_EQ(extremes(data), (std::pair<Index, Index>{18, 189}));
  EXPECT_EQ(distinct(data.table.label), 30U);
  EXPECT_EQ(distinct(data.table.group), 10U);
  EXPECT_EQ(trained(data), 1350);
  // The README leaves the hip centre out, and has 32.4 and 54.6 %.
  const Dense<double> both = frame_statistics(data, true);
  Dense<double> joints(both.rows(), 66);
  joints << both.leftCols(33), both.middleCols(36, 33);
  EXPECT_NEAR(nearest_class_mean(data, joints.leftCols(33), true), 0.324, 3e-3);
  EXPECT_NEAR(nearest_class_mean(data, joints, true), 0.546, 3e-3);
}

TEST(FrameSets, sail_on_activity_has_three_views_of_each_video) {
  TYTO_NEEDS("sail_on_activity")
  const Dataset data = import_dataset("sail_on_activity", frame_data("sail_on_activity"));
  EXPECT_EQ(data.table.size(), 640);
  EXPECT_EQ(frames_of(data), 1920);
  EXPECT_EQ(std::count(data.table.label.begin(), data.table.label.end(), ""), 451);
  EXPECT_EQ(distinct(data.table.label), 18U) << "17 classes, and none";
  EXPECT_EQ(std::count(data.table.label.begin(), data.table.label.end(), "Swimming"), 53);
  EXPECT_EQ(distinct(data.table.source), 2U);
}

TEST(FrameSets, sisfall_has_the_stated_accuracy) {
  TYTO_NEEDS("sisfall")
  const Dataset data = import_dataset("sisfall", frame_data("sisfall"));
  EXPECT_EQ(data.table.size(), 4505);
  EXPECT_EQ(frames_of(data), 1585543);
  EXPECT_EQ(distinct(data.table.label), 34U);
  EXPECT_EQ(distinct(data.table.group), 38U);
  EXPECT_EQ(data.table.id.front(), "D01_SA01_R01");
  EXPECT_EQ(frames_between(data, 0, 1)(0, 0), -0.0859375F);
  EXPECT_NEAR(nearest_class_mean(data, frame_statistics(data), true), 0.309, kShown);
}

TEST(FrameSets, frames_of_utd_mhad_are_those_of_its_features) {
  TYTO_NEEDS("utd_mhad")
  const Dataset data = import_dataset("utd_mhad", frame_data("utd_mhad"), "frames");
  const Dataset features = import_dataset("utd_mhad", frame_data("utd_mhad"));
  EXPECT_EQ(data.table.size(), 861);
  EXPECT_EQ(frames_of(data), 58299);
  EXPECT_EQ(data.table.id, features.table.id);
  EXPECT_EQ(data.table.split, features.table.split);
  // The first of 16 resampled frames is the first, the last the last.
  Index begin = 0;
  for (Index i = 0; i < 861; i += 43) {
    begin = std::accumulate(data.table.frames.begin(), data.table.frames.begin() + i, Index{0});
    const Matrix row = frames_between(features, i, i + 1);
    for (const auto& [frame, offset] :
         {std::pair<Index, Index>{begin, 0}, {begin + data.table.frames[at(i)] - 1, 900}}) {
      const Matrix joints = frames_between(data, frame, frame + 1);
      ASSERT_TRUE(joints.leftCols(9).isApprox(row.middleCols(offset, 9), 1e-3F)) << i;
      ASSERT_TRUE(joints.rightCols(48).isApprox(row.middleCols(offset + 12, 48), 1e-3F)) << i;
    }
  }
}

TEST(FrameSets, sfinge3d_has_the_stated_accuracy_alone_and_in_sequences) {
  TYTO_NEEDS("sfinge3d")
  const auto folder = frame_data("sfinge3d");
  const Dataset alone = import_dataset("sfinge3d", folder);
  const Dataset cut = import_dataset("sfinge3d", folder, "segments");
  const Dataset whole = import_dataset("sfinge3d", folder, "untrimmed");
  EXPECT_EQ(alone.table.size(), 468);
  EXPECT_EQ(frames_of(alone), 20732);
  EXPECT_EQ(trained(alone), 234);
  EXPECT_NEAR(nearest_class_mean(alone, frame_statistics(alone), true), 0.380, kShown);
  EXPECT_EQ(cut.table.size(), 278);
  EXPECT_EQ(distinct(cut.table.group), 72U);
  EXPECT_EQ(frames_of(whole), 27501);  // every frame of a sequence stands in one run
  EXPECT_EQ(whole.table.id, cut.table.id);
  EXPECT_EQ(frames_in_segments(whole), frames_of(cut));
  EXPECT_EQ(frame_statistics(whole, false, Counted::segment), frame_statistics(cut));
  // Trained on the dictionary, tested on what was cut out.
  Dense<double> rows(468 + 278, 64);
  rows << frame_statistics(alone), frame_statistics(cut);
  std::vector<std::string> labels = alone.table.label;
  labels.insert(labels.end(), cut.table.label.begin(), cut.table.label.end());
  std::vector<bool> trains(labels.size(), false);
  std::fill_n(trains.begin(), 468, true);
  EXPECT_NEAR(nearest_class_mean(rows, labels, trains, true), 0.525, kShown);
}

TEST(FrameSets, wear_has_the_stated_accuracy_on_segments) {
  TYTO_NEEDS("wear_untrimmed")
  const Dataset data = import_dataset("wear_untrimmed", frame_data("wear_untrimmed"));
  EXPECT_EQ(data.table.size(), 178);
  EXPECT_EQ(distinct(data.table.label), 18U);
  EXPECT_EQ(distinct(data.table.group), 5U);
  EXPECT_EQ(data.store->shape("features"), std::vector<Index>{24});
  EXPECT_NEAR(static_cast<double>(frames_of(data)), 672645 / 25.0, 178 * 2);
  // 69 % of the samples are in activities.
  EXPECT_NEAR(static_cast<double>(frames_in_segments(data)) / static_cast<double>(frames_of(data)),
              0.69, 0.01);
  const Dense<double> cut = frame_statistics(data, false, Counted::segment);
  EXPECT_NEAR(leaving_a_group_out(data, cut.leftCols(12)), 0.283, kShown);
}

TEST(FrameSets, mocap6_covers_its_sequences_without_a_gap) {
  TYTO_NEEDS("mocap6")
  const Dataset cut = import_dataset("mocap6", frame_data("mocap6"));
  const Dataset whole = import_dataset("mocap6", frame_data("mocap6"), "untrimmed");
  EXPECT_EQ(cut.table.size(), 38);
  EXPECT_EQ(frames_of(cut), 2058);
  EXPECT_EQ(distinct(cut.table.label), 12U);
  EXPECT_EQ(distinct(cut.table.group), 6U);
  EXPECT_EQ(frames_in_segments(whole), 2058);
  EXPECT_EQ(frame_statistics(whole, false, Counted::segment), frame_statistics(cut));
  const auto& sequences = cut.table.annotations.at("sequences_with_class");
  std::set<std::string> once;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    if (sequences[i] == "1") {
      once.insert(cut.table.label[i]);
    }
  }
  EXPECT_EQ(once.size(), 5U);
}

TEST(FrameSets, homes_have_their_activities_and_sensors) {
  TYTO_NEEDS("house_sensors")

  struct Home {
    const char* name;
    Index instances;
    std::size_t activities;
    Index sensors;
  };

  for (const Home& home : {Home{"A", 259, 8, 14}, Home{"B", 112, 8, 23}, Home{"C", 234, 8, 21},
                           Home{"D", 295, 22, 72}, Home{"E", 208, 24, 68}}) {
    const Dataset data = import_dataset("house_sensors", frame_data("house_sensors"), home.name);
    EXPECT_EQ(data.table.size(), home.instances) << home.name;
    EXPECT_EQ(distinct(data.table.label), home.activities) << home.name;
    EXPECT_EQ(data.store->shape("features"), std::vector<Index>{home.sensors + 2}) << home.name;
  }
}

TEST(FrameSets, survive_saving) {
  TYTO_NEEDS("sfinge3d")
  const TestFolder folder;
  const Dataset data = import_dataset("sfinge3d", frame_data("sfinge3d"), "untrimmed");
  save_dataset(data, folder / "sfinge3d");
  const Dataset again = load_dataset(folder / "sfinge3d");
  EXPECT_EQ(again.table.frames, data.table.frames);
  EXPECT_EQ(again.table.annotations, data.table.annotations);
  EXPECT_EQ(again.store->column_names("features"), data.store->column_names("features"));
  EXPECT_EQ(frames_between(again, 0, 27501), frames_between(data, 0, 27501));
}

}  // namespace
}  // namespace tyto
