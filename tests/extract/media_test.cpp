// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/extract/media.hpp"

#include <cmath>

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::Scratch;

// Files of a byte: what is listed is not looked into.
void touch(const std::filesystem::path& path) {
  make_folder(path.parent_path());
  write_file(path, "x");
}

std::vector<std::string> ids(const MediaList& media) {
  std::vector<std::string> out;
  for (const MediaSample& sample : media.samples) {
    out.push_back(sample.id);
  }
  return out;
}

TEST(Media, takes_labels_and_splits_from_folders) {
  const Scratch scratch;
  touch(scratch / "train/wave/b.avi");
  touch(scratch / "train/wave/a.AVI");
  touch(scratch / "val/run/c.mp4");
  touch(scratch / "run/d.png");
  touch(scratch / "run/notes.txt");
  touch(scratch / "run/.hidden.png");
  touch(scratch / "e.jpg");
  const MediaList media = find_media({scratch.path()});
  EXPECT_THAT(ids(media), ElementsAre("e", "run/d", "train/wave/a", "train/wave/b", "val/run/c"));
  EXPECT_EQ(media.ignored, 1);
  EXPECT_EQ(media.samples[0].label, "");
  EXPECT_EQ(media.samples[1].label, "run");
  EXPECT_EQ(media.samples[1].split, "");
  EXPECT_FALSE(media.samples[1].moving);
  EXPECT_EQ(media.samples[2].label, "wave");
  EXPECT_EQ(media.samples[2].split, "train");
  EXPECT_TRUE(media.samples[2].moving);
  EXPECT_EQ(media.samples[4].split, "validate");
}

TEST(Media, takes_a_folder_of_numbered_pictures_as_a_video) {
  const Scratch scratch;
  for (const auto* name : {"img_00001.jpg", "img_00002.jpg", "img_00010.jpg"}) {
    touch(scratch.path() / "jump" / "clip7" / name);
  }
  touch(scratch / "jump/odd/left.png");
  touch(scratch / "jump/odd/right.png");
  const MediaList media = find_media({scratch.path()});
  EXPECT_THAT(ids(media), ElementsAre("jump/clip7", "jump/odd/left", "jump/odd/right"));
  EXPECT_TRUE(media.samples[0].moving);
  EXPECT_EQ(media.samples[0].label, "jump");
  const MediaList single = find_media({scratch.path()}, {.single_pictures = true});
  EXPECT_EQ(single.samples.size(), 5U);
  EXPECT_EQ(single.samples[0].id, "jump/clip7/img_00001");
}

TEST(Media, refuses_what_is_not_there_and_two_of_one_name) {
  const Scratch scratch;
  EXPECT_THROW(find_media({scratch / "gone"}), Error);
  touch(scratch / "a.png");
  touch(scratch / "a.mp4");
  try {
    find_media({scratch.path()});
    FAIL() << "two of one name";
  } catch (const Error& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("would both be called \"a\""));
  }
}

MediaList three_videos(const Scratch& scratch) {
  touch(scratch / "videos/x.mp4");
  touch(scratch / "videos/y.avi");
  touch(scratch / "videos/more/z.mp4");
  return find_media({scratch / "videos"});
}

TEST(MediaSegments, are_a_sample_per_row_in_the_order_of_time) {
  const Scratch scratch;
  const MediaList media = three_videos(scratch);
  write_file(scratch / "t.csv",
             "video,start,end,label,who\n"
             "y.avi,5,9,run,eve\nx,2.5,4,wave,\nx,0,1,run,ann\nz,,,jump,\n"
             "gone,0,1,run,\nx,3,3,run,\nx,0,1,run,ann\n");
  const MediaList rows = media_segments(scratch / "t.csv", media, false);
  EXPECT_THAT(ids(rows), ElementsAre("more/z", "x@0-1", "x@2.5-4", "y@5-9"));
  EXPECT_EQ(rows.samples[1].label, "run");
  EXPECT_EQ(rows.samples[1].group, "x");
  EXPECT_EQ(rows.samples[1].annotations.at("who"), "ann");
  EXPECT_DOUBLE_EQ(rows.samples[2].start, 2.5);
  EXPECT_TRUE(std::isnan(rows.samples[0].start));
  ASSERT_EQ(rows.problems.size(), 3U);
  EXPECT_THAT(rows.problems[0].reason, HasSubstr("line 6"));
  EXPECT_THAT(rows.problems[0].reason, HasSubstr("no such video"));
  EXPECT_THAT(rows.problems[1].reason, HasSubstr("no length"));
  EXPECT_THAT(rows.problems[2].reason, HasSubstr("twice"));
}

// vCLIMB: one row per video of one class, the longest segment, the first of equals.
TEST(MediaSegments, are_whole_videos_where_untrimmed) {
  const Scratch scratch;
  const MediaList media = three_videos(scratch);
  write_file(scratch / "t.csv",
             "video,start,end,label\nx,0,1,run\nx,2,5,run\nx,6,9,run\ny,0,1,run\ny,1,2,wave\n"
             "z,4,4,jump\n");
  const MediaList rows = media_segments(scratch / "t.csv", media, true);
  ASSERT_THAT(ids(rows), ElementsAre("x@2-5"));
  EXPECT_TRUE(std::isnan(rows.samples[0].start));
  EXPECT_EQ(rows.samples[0].annotations.at("segment_start"), "2");
  EXPECT_EQ(rows.samples[0].annotations.at("segment_end"), "5");
  ASSERT_EQ(rows.problems.size(), 2U);
  EXPECT_THAT(rows.problems[0].reason, HasSubstr("no length"));
  EXPECT_THAT(rows.problems[1].reason, HasSubstr("both \"run\" and \"wave\""));
}

TEST(MediaSegments, refuse_a_frame_that_is_no_number) {
  const Scratch scratch;
  const MediaList media = three_videos(scratch);
  write_file(scratch / "t.csv", "video,first_frame,end_frame\nx,1.5,9\n");
  EXPECT_THROW(media_segments(scratch / "t.csv", media, false), Error);
  write_file(scratch / "u.csv", "clip,start\nx,1\n");
  EXPECT_THROW(media_segments(scratch / "u.csv", media, false), Error);
}

TEST(Media, is_compared_with_a_list) {
  const Scratch scratch;
  const MediaList media = three_videos(scratch);
  write_file(scratch / "list.csv", "id,label\nx.mp4,run\nw,run\nmore/z,jump\n");
  const MediaComparison compared = compare_media(scratch / "list.csv", media);
  EXPECT_THAT(compared.missing, ElementsAre("w"));
  EXPECT_THAT(compared.extra, ElementsAre("y"));
}

TEST(Media, comes_back_from_its_table) {
  const Scratch scratch;
  const MediaList media = three_videos(scratch);
  write_file(scratch / "t.csv",
             "video,start,end,label,note\nx,0.1,1.7,a,\"with, comma\"\ny,,,b,\n");
  const MediaList rows = media_segments(scratch / "t.csv", media, false);
  write_file(scratch / "list.csv", media_csv(rows));
  const MediaList again = media_from_csv(scratch / "list.csv");
  EXPECT_EQ(media_csv(again), media_csv(rows));
  EXPECT_EQ(again.samples[0].annotations.at("note"), "with, comma");
  EXPECT_EQ(again.samples[0].path, rows.samples[0].path);
}

TEST(MediaFrames, are_rounded_to_even_and_cut_to_the_video) {
  MediaSample sample;
  EXPECT_EQ(frames_of(sample, 90, 30), std::pair(Index{0}, Index{90}));
  sample.start = 0.5;
  sample.end = 1.5;
  EXPECT_EQ(frames_of(sample, 90, 5), std::pair(Index{2}, Index{8}));  // 2.5 -> 2, 7.5 -> 8
  sample.end = 99;
  EXPECT_EQ(frames_of(sample, 90, 30), std::pair(Index{15}, Index{90}));
  MediaSample by_frame;
  by_frame.first_frame = 4;
  by_frame.end_frame = 9;
  EXPECT_EQ(frames_of(by_frame, 90, 30), std::pair(Index{4}, Index{9}));
}

}  // namespace
}  // namespace tyto
