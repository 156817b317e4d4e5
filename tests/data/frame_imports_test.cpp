// SPDX-License-Identifier: Apache-2.0
// The importers of frames on folders made by hand.
#include <cmath>

#include "data/frame_baseline.hpp"
#include "sample/store_helpers.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/data/import.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void write_halves(const std::filesystem::path& path, const Matrix& values) {
  const Dense<Eigen::half> halves = values.cast<Eigen::half>();
  write_gz(path, {reinterpret_cast<const char*>(halves.data()),
                  static_cast<std::size_t>(halves.size()) * 2});
}

// Row r holds r in every column.
Matrix numbered_frames(Index rows, Index width) {
  Matrix out(rows, width);
  for (Index r = 0; r < rows; ++r) {
    out.row(r).setConstant(static_cast<float>(r));
  }
  return out;
}

TEST(FrameImports, groups_of_ucf101_belong_to_their_class_and_splits_are_variants) {
  const TestFolder folder;
  write_file(folder / "index.csv",
             "row,ucf_video,class,group,split1,split2,split3\n"
             "0,v_A_g01_c01,A,g01,test,train,train\n"
             "1,v_B_g01_c01,B,g01,train,test,train\n");
  write_halves(folder / "frames_pca128_f16.bin.gz", numbered_frames(50, 128));
  const Dataset one = import_dataset("ucf101_vgg16_frames", folder.path());
  EXPECT_EQ(one.name, "ucf101_vgg16_frames_split1");
  EXPECT_THAT(one.summary, HasSubstr("official split 1"));
  EXPECT_THAT(one.table.group, ElementsAre("A_g01", "B_g01"));
  EXPECT_THAT(one.table.split, ElementsAre("test", "train"));
  EXPECT_THAT(one.table.frames, ElementsAre(25, 25));
  EXPECT_EQ(frames_between(one, 25, 26)(0, 127), 25.0F);
  EXPECT_THAT(import_dataset("ucf101_vgg16_frames", folder.path(), "split2").table.split,
              ElementsAre("train", "test"));
  const Dataset random = import_dataset("ucf101_vgg16_frames", folder.path(), "random");
  EXPECT_TRUE(random.table.split.empty());
  EXPECT_TRUE(random.table.group.empty());
  EXPECT_THAT(random.table.annotations.at("ucf_group"), ElementsAre("A_g01", "B_g01"));
  write_halves(folder / "frames_pca128_f16.bin.gz", numbered_frames(49, 128));
  EXPECT_THAT(refusal([&] { import_dataset("ucf101_vgg16_frames", folder.path()); }),
              HasSubstr("the index has 50 frames in all, but the features have 49 rows"));
}

TEST(FrameImports, signs_are_scaled_by_the_height_of_the_signer_and_the_hip_is_not) {
  const TestFolder folder;
  write_file(folder / "index.csv",
             "seq,class_id,class,subject,repetition,start,frames,duplicate_of\n"
             "0,0,bye,3,1,0,2,\n1,0,bye,4,1,2,1,\n");
  Matrix rows = Matrix::Zero(3, 36);
  rows(0, 1) = 0.5F;  // head above hip: 0.5 and 1.5 in the first sign, 0.25 in the second
  rows(1, 1) = 1.5F;
  rows(2, 2) = 0.25F;
  rows.col(29).setConstant(2);  // right hand
  rows.col(35).setConstant(3);  // hip centre, from the camera
  write_halves(folder / "skeleton_f16.bin.gz", rows);
  const Dataset data = import_dataset("isl_kinect30", folder.path());
  EXPECT_THAT(data.table.id, ElementsAre("bye_s3_r1", "bye_s4_r1"));
  EXPECT_THAT(data.table.split, ElementsAre("train", "test"));
  EXPECT_THAT(data.table.group, ElementsAre("3", "4"));
  EXPECT_THAT(data.table.frames, ElementsAre(2, 1));
  EXPECT_TRUE(data.table.start.empty());
  const Matrix seen = frames_between(data, 0, 3);
  EXPECT_EQ(seen.col(1), (Vector(3) << 0.5F, 1.5F, 0).finished());
  EXPECT_EQ(seen.col(29), (Vector(3) << 2, 2, 8).finished());
  EXPECT_EQ(seen.col(35), (Vector(3) << 3, 3, 3).finished());
  EXPECT_EQ(data.store->column_names("features")[29], "right_hand_z");
  rows.setZero();
  write_halves(folder / "skeleton_f16.bin.gz", rows);
  EXPECT_THAT(refusal([&] { import_dataset("isl_kinect30", folder.path()); }),
              HasSubstr("frames 0 to 1 have the head in the hip"));
}

TEST(FrameImports, views_of_sail_on_activity_must_be_three_for_each_video) {
  const TestFolder folder;
  write_file(folder / "timesformer_index.csv",
             "row,test_id,video,class,ontology_id,par_split\n"
             "0,OND.1,a.mp4,Skiing,10,train\n1,OND.1,b.mp4,,,\n");
  const auto write_views = [&](Index rows) {
    const std::vector<float> values(static_cast<std::size_t>(rows * 768), 0.5F);
    write_file(folder / "timesformer_features_f32.bin.gz",
               gzip({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)}));
  };
  write_views(6);
  const Dataset data = import_dataset("sail_on_activity", folder.path());
  EXPECT_THAT(data.table.id, ElementsAre("a.mp4", "b.mp4"));
  EXPECT_THAT(data.table.label, ElementsAre("Skiing", ""));
  EXPECT_THAT(data.table.frames, ElementsAre(3, 3));
  write_views(5);
  EXPECT_THAT(refusal([&] { import_dataset("sail_on_activity", folder.path()); }),
              HasSubstr("has 5 rows of 768 values, and 2 videos with 3 views each need 6"));
}

TEST(FrameImports, trials_of_sisfall_are_split_by_the_number_of_the_subject) {
  const TestFolder folder;
  const auto write_index = [&](const std::string& rows) {
    write_file(folder / "index.csv",
               "seq,class_id,code,subject,elderly,trial,start,frames,samples_200hz\n" + rows);
  };
  write_file(folder / "classes.csv", "class_id,code,activity\n0,D01,Walking slowly\n");
  write_halves(folder / "frames_f16.bin.gz", numbered_frames(3, 7));
  write_index("0,0,D01,SA02,0,1,0,1,10\n1,0,D01,SE13,1,12,1,2,20\n");
  const Dataset data = import_dataset("sisfall", folder.path());
  EXPECT_THAT(data.table.id, ElementsAre("D01_SA02_R01", "D01_SE13_R12"));
  EXPECT_THAT(data.table.label, ElementsAre("Walking slowly", "Walking slowly"));
  EXPECT_THAT(data.table.split, ElementsAre("test", "train"));
  EXPECT_THAT(data.table.frames, ElementsAre(1, 2));
  write_index("0,0,D01,SAx,0,1,0,3,30\n");
  EXPECT_THAT(refusal([&] { import_dataset("sisfall", folder.path()); }),
              HasSubstr("column \"subject\": \"SAx\" is no subject like SA07 or SE07"));
  write_index("0,0,D09,SA01,0,1,0,3,30\n");
  EXPECT_THAT(refusal([&] { import_dataset("sisfall", folder.path()); }),
              HasSubstr("column \"code\": classes.csv has no code D09"));
}

TEST(FrameImports, skeletons_of_utd_mhad_stand_about_the_hip) {
  const TestFolder folder;
  write_file(
      folder / "index.csv",
      "seq,action,action_name,subject,trial,skeleton_frames\n0,1,wave,1,1,1\n1,1,wave,2,1,1\n");
  std::string text = "seq,frame";
  std::string first = "0,0";
  std::string second = "1,0";
  for (int joint = 1; joint <= 20; ++joint) {
    for (const char axis : {'x', 'y', 'z'}) {
      text += fmt::format(",j{}{}", joint, axis);
      // Head 2 above the hip in the first sequence, 4 in the second.
      first += joint == 1 && axis == 'y' ? ",3" : ",1";
      second += joint == 1 && axis == 'y' ? ",5" : joint == 5 && axis == 'x' ? ",3" : ",1";
    }
  }
  write_gz(folder / "skeleton.csv.gz", text + "\n" + first + "\n" + second + "\n");
  const Dataset data = import_dataset("utd_mhad", folder.path(), "frames");
  EXPECT_EQ(data.name, "utd_mhad_frames");
  EXPECT_THAT(data.table.id, ElementsAre("a1_s1_t1", "a1_s2_t1"));
  Matrix expected = Matrix::Zero(2, 57);
  expected(0, 1) = 1;
  expected(1, 1) = 1;
  expected(1, 9) = 0.5F;  // joint 5 is the fourth that is kept
  EXPECT_EQ(frames_between(data, 0, 2), expected);
  EXPECT_EQ(data.store->column_names("features")[9], "j5x");
  write_gz(folder / "skeleton.csv.gz", text + "\n" + second + "\n" + first + "\n");
  EXPECT_THAT(refusal([&] { import_dataset("utd_mhad", folder.path(), "frames"); }),
              HasSubstr("1 frames of sequence 0 are expected from row 0 on"));
}

TEST(FrameImports, gestures_of_sfinge3d_alone_cut_out_and_in_their_surroundings) {
  const TestFolder folder;
  write_file(folder / "index.csv",
             "seq,part,class_id,class,number,start,frames\n"
             "0,dictionary,0,one,18,0,2\n1,dictionary,0,one,19,2,1\n2,sequence,,,7,3,20\n");
  write_file(folder / "segments.csv",
             "seq,class_id,class,first_frame,last_frame\n2,0,one,2,4\n2,5,pinch,9,21\n");
  write_halves(folder / "frames_f16.bin.gz", numbered_frames(23, 64));
  const Dataset alone = import_dataset("sfinge3d", folder.path());
  EXPECT_THAT(alone.table.id, ElementsAre("one_18", "one_19"));
  EXPECT_THAT(alone.table.split, ElementsAre("train", "test"));
  EXPECT_THAT(alone.table.frames, ElementsAre(2, 1));
  EXPECT_TRUE(alone.table.annotations.empty());
  const Dataset cut = import_dataset("sfinge3d", folder.path(), "segments");
  EXPECT_THAT(cut.table.id, ElementsAre("s7_1", "s7_2"));
  EXPECT_THAT(cut.table.label, ElementsAre("one", "pinch"));
  EXPECT_THAT(cut.table.split, ElementsAre("train", "train"));
  EXPECT_THAT(cut.table.frames, ElementsAre(3, 11));
  EXPECT_EQ(frames_between(cut, 0, 1)(0, 0), 5.0F);
  const Dataset whole = import_dataset("sfinge3d", folder.path(), "untrimmed");
  EXPECT_THAT(whole.table.frames, ElementsAre(7, 13));  // the gap is frames 5 to 8
  EXPECT_THAT(whole.table.annotations.at("segment_first"), ElementsAre("2", "2"));
  EXPECT_THAT(whole.table.annotations.at("segment_end"), ElementsAre("5", "13"));
  EXPECT_EQ(frames_between(whole, 0, 20), numbered_frames(23, 64).bottomRows(20));
}

TEST(FrameImports, exercises_of_mocap6_have_half_of_their_neighbours) {
  const TestFolder folder;
  write_file(folder / "index.csv", "seq,cmu_trial,subject,frames\n0,13_29,13,4\n1,14_06,14,2\n");
  write_file(folder / "segments.csv",
             "seq,class_id,class,first_frame,end_frame\n0,0,Jog,0,2\n0,1,Box,2,4\n1,0,Jog,0,2\n");
  const std::string heading = "seq,frame,class_id,class,root.ty,lfoot.rx\n";
  write_gz(folder / "frames.csv.gz",
           heading +
               "0,0,0,Jog,0,1\n0,1,0,Jog,1,1\n0,2,1,Box,2,1\n0,3,1,Box,3,1\n"
               "1,0,0,Jog,4,1\n1,1,0,Jog,5,1\n");
  const Dataset data = import_dataset("mocap6", folder.path(), "untrimmed");
  EXPECT_THAT(data.table.id, ElementsAre("13_29_0", "13_29_2", "14_06_0"));
  EXPECT_THAT(data.table.group, ElementsAre("13_29", "13_29", "14_06"));
  EXPECT_THAT(data.table.frames, ElementsAre(3, 3, 2));
  EXPECT_THAT(data.table.annotations.at("segment_first"), ElementsAre("0", "1", "0"));
  EXPECT_THAT(data.table.annotations.at("segment_end"), ElementsAre("2", "3", "2"));
  EXPECT_THAT(data.table.annotations.at("sequences_with_class"), ElementsAre("2", "1", "2"));
  EXPECT_EQ(frames_between(data, 0, 8).col(0), (Vector(8) << 0, 1, 2, 1, 2, 3, 4, 5).finished());
  EXPECT_THAT(import_dataset("mocap6", folder.path()).table.frames, ElementsAre(2, 2, 2));
  write_gz(folder / "frames.csv.gz",
           heading +
               "0,0,0,Jog,0,1\n0,2,0,Jog,1,1\n0,1,1,Box,2,1\n0,3,1,Box,3,1\n"
               "1,0,0,Jog,4,1\n1,1,0,Jog,5,1\n");
  EXPECT_THAT(refusal([&] { import_dataset("mocap6", folder.path()); }),
              HasSubstr("line 3: here stands frame 2 of sequence 0, not 1 of 0"));
}

std::string wear_calibration(Index recordings) {
  std::string text = "seq,channel,name,zero_level,g_per_level,source\n";
  for (Index seq = 0; seq < recordings; ++seq) {
    for (int channel = 0; channel < 12; ++channel) {
      text += fmt::format("{},{},c{},10,0.5,exact\n", seq, channel, channel);
    }
  }
  return text;
}

TEST(FrameImports, frames_of_a_workout_are_half_seconds_from_the_first_sample_of_its_segment) {
  const TestFolder folder;
  write_file(folder / "index.csv", "seq,wear_subject,start,samples\n0,2,0,140\n1,5,140,30\n");
  // Before the segment 30 samples (1 frame and a rest), in it 60 (2 frames), after it 50.
  write_file(folder / "segments.csv",
             "seq,class_id,class,first_sample,end_sample\n0,0,null,0,30\n0,3,jogging,30,90\n"
             "0,0,null,90,140\n1,1,burpees,0,30\n");
  write_file(folder / "calibration.csv", wear_calibration(2));
  std::string levels(170 * 12, '\x0a');  // the level of zero g
  for (std::size_t sample = 30; sample < 55; ++sample) {
    levels[sample * 12] = sample < 35 ? 22 : 12;  // channel 0: 6 g for 5 samples, 1 g for 20
  }
  write_gz(folder / "levels_u8.bin.gz", levels);
  const Dataset data = import_dataset("wear_untrimmed", folder.path());
  EXPECT_EQ(data.name, "wear_untrimmed_odd_even");
  EXPECT_THAT(data.table.id, ElementsAre("s2_30", "s5_0"));
  EXPECT_THAT(data.table.label, ElementsAre("jogging", "burpees"));
  EXPECT_THAT(data.table.split, ElementsAre("test", "train"));
  EXPECT_THAT(data.table.frames, ElementsAre(5, 1));
  EXPECT_THAT(data.table.annotations.at("segment_first"), ElementsAre("1", "0"));
  EXPECT_THAT(data.table.annotations.at("segment_end"), ElementsAre("3", "1"));
  Matrix expected = Matrix::Zero(6, 24);
  expected(1, 0) = 2;
  expected(1, 12) = 2;  // sqrt((5 * 16 + 20 * 1) / 25)
  EXPECT_TRUE(frames_between(data, 0, 6).isApprox(expected, 1e-6F));
  EXPECT_THAT(import_dataset("wear_untrimmed", folder.path(), "test_5").table.split,
              ElementsAre("train", "test"));
  write_file(folder / "segments.csv",
             "seq,class_id,class,first_sample,end_sample\n0,3,jogging,30,50\n");
  EXPECT_THAT(refusal([&] { import_dataset("wear_untrimmed", folder.path()); }),
              HasSubstr("jogging from sample 30 of recording 0 on has 20 samples, fewer than the "
                        "25 of a frame"));
  write_file(folder / "segments.csv", "seq,class_id,class,first_sample,end_sample\n");
  write_file(folder / "calibration.csv", wear_calibration(1));
  EXPECT_THAT(refusal([&] { import_dataset("wear_untrimmed", folder.path()); }),
              HasSubstr("12 channels of each of the 2 recordings belong here, in order"));
}

TEST(FrameImports, an_activity_at_home_has_a_row_per_minute) {
  const TestFolder folder;
  // 1204329600 is 2008-03-01 at midnight; the activity begins at six.
  write_file(folder / "activities.csv",
             "house,instance,start_s,length_s,activity\nA,0,1204351200,90,use-toilet\n"
             "B,0,1204351200,90,get-drink\nA,1,1204329599,0,get-drink\n");
  write_gz(folder / "sensor_events.csv.gz",
           "house,start_s,length_s,sensor,sensor_name\nA,1204351260,1,7,Door\n"
           "A,1204351200,500,3,\nA,1204351259,1,7,Door\nA,1204351259,1,7,Door\n"
           "A,1204351290,1,7,Door\nA,1204351199,9,7,Door\nB,1204351201,1,5,Cup\n");
  const Dataset data = import_dataset("house_sensors", folder.path());
  EXPECT_EQ(data.name, "house_sensors_A");
  EXPECT_THAT(data.table.id, ElementsAre("A0", "A1"));
  EXPECT_THAT(data.table.group, ElementsAre("2008-03-01", "2008-02-29"));
  EXPECT_THAT(data.table.frames, ElementsAre(2, 1));
  EXPECT_THAT(data.store->column_names("features"),
              ElementsAre("sensor 3", "sensor 7 Door", "hour_sin", "hour_cos"));
  const Matrix seen = frames_between(data, 0, 3);
  EXPECT_EQ(seen.leftCols(2), (Matrix(3, 2) << 1, 2, 0, 1, 0, 0).finished());
  EXPECT_NEAR(seen(0, 2), 1, 1e-6);
  EXPECT_NEAR(seen(1, 3), -std::sin(2 * M_PI / 1440), 1e-6);
  EXPECT_NEAR(seen(2, 3), 1, 1e-6);
  EXPECT_THAT(refusal([&] { import_dataset("house_sensors", folder.path(), "C"); }),
              HasSubstr("activities.csv: no activity of home C"));
}

}  // namespace
}  // namespace tyto
