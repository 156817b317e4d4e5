// SPDX-License-Identifier: Apache-2.0
// Videos as people have them, made by FFmpeg on the spot.
#include <algorithm>

#include "video/formula_picture.hpp"
#include "video/made_video.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/core/random.hpp"
#include "tyto/video/module.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::every_frame;
using testing_support::expect_numbers;
using testing_support::ffmpeg;
using testing_support::formula_picture;
using testing_support::has_ffmpeg;
using testing_support::numbered;
using testing_support::refusal;
using testing_support::Scratch;

class VideoFile : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_ffmpeg()) {
      GTEST_SKIP() << "the program ffmpeg, which makes the videos of these tests, is not installed";
    }
  }

  Scratch scratch_;
};

constexpr Index kKeepNothing = 0;
constexpr Index kKeepAll = Index{1} << 30;

TEST_F(VideoFile, numbers_frames_as_they_are_shown_whatever_their_order_in_the_file) {
  const auto path = scratch_ / "b_frames.mp4";
  ffmpeg(numbered(120, "64x48", 25) + " -c:v libx264 -bf 3 -b_strategy 0 -g 40 -pix_fmt yuv420p",
         path);
  const auto video = video_module().open_video(path);
  EXPECT_EQ(video->facts().frames, 120);
  EXPECT_EQ(video->facts().width, 64);
  EXPECT_EQ(video->facts().height, 48);
  EXPECT_DOUBLE_EQ(video->facts().fps, 25.0);
  EXPECT_TRUE(video->facts().constant_rate);
  expect_numbers(*video, every_frame(120));
  expect_numbers(*video, {3, 3, 3, 119});
  expect_numbers(*video, {0});
}

TEST_F(VideoFile, finds_the_same_frames_again_where_it_keeps_none) {
  const std::vector<std::string> codecs{"-c:v libx264 -bf 3 -b_strategy 0 -g 40",
                                        "-c:v libx264 -x264-params open-gop=1:keyint=30",
                                        "-c:v libx264 -x264-params intra-refresh=1:keyint=30",
                                        "-c:v mpeg4 -bf 2 -g 25", "-c:v mpeg2video -bf 2 -g 15"};
  const std::vector<std::string> containers{"mp4", "mkv", "ts", "avi", "mpg"};
  Rng rng(1, "wanted");
  for (std::size_t i = 0; i < codecs.size(); ++i) {
    const auto path = scratch_ / ("video." + containers[i]);
    ffmpeg(numbered(200, "64x48", 25) + " " + codecs[i] + " -pix_fmt yuv420p", path);
    const auto kept = video_module().open_video(path, kKeepAll);
    const auto sought = video_module().open_video(path, kKeepNothing);
    ASSERT_EQ(sought->facts().frames, kept->facts().frames) << codecs[i];
    EXPECT_EQ(sought->facts().frames, 200) << codecs[i];
    for (int round = 0; round < 4; ++round) {  // forwards, then behind where the last one ended
      std::vector<Index> wanted;
      for (int k = 0; k < 6; ++k) {
        wanted.push_back(rng.below(kept->facts().frames));
      }
      wanted.push_back(199);  // of which some decoders lose the time
      std::sort(wanted.begin(), wanted.end());
      std::vector<Picture> expected;
      kept->read(wanted, [&](Index, const Picture& picture) { expected.push_back(picture); });
      std::size_t next = 0;
      sought->read(wanted, [&](Index frame, const Picture& picture) {
        EXPECT_EQ(picture, expected[next++]) << codecs[i] << ", frame " << frame;
      });
      EXPECT_EQ(next, wanted.size());
    }
  }
}

TEST_F(VideoFile, gives_back_to_the_bit_what_it_wrote) {
  for (const auto& [width, height] :
       std::vector<std::pair<Index, Index>>{{33, 17}, {64, 48}, {1, 1}}) {
    std::vector<Picture> frames(5, formula_picture(width, height));
    for (std::size_t i = 0; i < frames.size(); ++i) {
      frames[i].rgb[0] = static_cast<std::uint8_t>(i);
    }
    const auto path = scratch_ / "written.mkv";
    video_module().write_video(frames, 12.5, path);
    const std::string bytes = read_file(path);
    video_module().write_video(frames, 12.5, path);
    EXPECT_EQ(read_file(path), bytes);
    const auto video = video_module().open_video(path);
    EXPECT_EQ(video->facts().frames, 5);
    EXPECT_DOUBLE_EQ(video->facts().fps, 12.5);
    std::size_t next = 0;
    video->read(every_frame(5),
                [&](Index, const Picture& picture) { EXPECT_EQ(picture, frames[next++]); });
    EXPECT_EQ(next, 5U);
  }
}

TEST_F(VideoFile, reads_odd_sizes_to_the_last_column) {
  const auto path = scratch_ / "odd.mkv";
  ffmpeg(
      "-f lavfi -i \"color=white:s=84x48:r=10:d=1,format=yuv444p,scale=83:47\" -c:v libx264 "
      "-pix_fmt yuv444p",
      path);
  const auto video = video_module().open_video(path);
  EXPECT_EQ(video->facts().width, 83);
  EXPECT_EQ(video->facts().height, 47);
  const auto even = scratch_ / "even.mp4";  // no multiple of the vectors that swscale writes
  ffmpeg("-f lavfi -i \"color=white:s=82x46:r=10:d=1\" -c:v libx264 -pix_fmt yuv420p", even);
  for (const auto& file : {path, even}) {
    video_module().open_video(file)->read(std::vector<Index>{0}, [&](Index, const Picture& p) {
      EXPECT_GE(*std::min_element(p.rgb.begin(), p.rgb.end()), 252) << file;
    });
  }
}

TEST_F(VideoFile, reads_ten_bits_and_other_pixel_formats) {
  const std::vector<std::string> formats{"yuv420p10le", "yuv422p", "yuv444p",
                                         "yuv420p12le", "gray",    "gray16le"};
  for (const std::string& format : formats) {
    const auto path = scratch_ / "deep.mkv";
    ffmpeg(numbered(10, "64x48", 25) + " -c:v ffv1 -pix_fmt " + format, path);
    const auto video = video_module().open_video(path);
    ASSERT_EQ(video->facts().frames, 10) << format;
    SCOPED_TRACE(format);
    expect_numbers(*video, every_frame(10));
  }
}

TEST_F(VideoFile, turns_pictures_as_the_file_asks) {
  const auto plain = scratch_ / "plain.mp4";
  ffmpeg("-f lavfi -i \"testsrc=s=64x48:r=5:d=1\" -c:v libx264 -qp 0 -pix_fmt yuv420p", plain);
  Picture upright;
  video_module().open_video(plain)->read(std::vector<Index>{2},
                                         [&](Index, const Picture& p) { upright = p; });
  for (const int turn : {90, 180, 270}) {  // against the clock, as the program ffmpeg shows it
    const auto path = scratch_ / "turned.mp4";
    ffmpeg(fmt::format("-i '{}' -c copy -metadata:s:v:0 rotate={}", plain.string(), turn), path);
    const auto video = video_module().open_video(path);
    ASSERT_EQ(video->facts().width, turn == 180 ? 64 : 48) << turn;
    ASSERT_EQ(video->facts().height, turn == 180 ? 48 : 64) << turn;
    video->read(std::vector<Index>{2}, [&](Index, const Picture& p) {
      for (Index y = 0; y < 48; ++y) {
        for (Index x = 0; x < 64; ++x) {
          const Index tx = turn == 90 ? y : turn == 180 ? 63 - x : 47 - y;
          const Index ty = turn == 90 ? 63 - x : turn == 180 ? 47 - y : x;
          ASSERT_TRUE(std::equal(p.pixel(tx, ty), p.pixel(tx, ty) + 3, upright.pixel(x, y)))
              << turn << ": " << x << ", " << y;
        }
      }
    });
  }
}

TEST_F(VideoFile, counts_frames_of_changing_length_one_by_one) {
  const auto path = scratch_ / "vfr.mkv";
  // Frames 10 to 19 last three times as long.
  ffmpeg(
      "-f lavfi -i \"color=black:s=64x48:r=25:d=2,format=gray,geq=lum='20+mod(N*37,200)',"
      "setpts='round(if(lt(N,10),N,if(lt(N,20),10+(N-10)*3,N+20))/25/TB)'\" -frames:v 30 "
      "-fps_mode passthrough -c:v libx264 -pix_fmt yuv420p",
      path);
  const auto video = video_module().open_video(path);
  EXPECT_EQ(video->facts().frames, 30);
  EXPECT_FALSE(video->facts().constant_rate);
  EXPECT_NEAR(video->facts().fps, 25.0 * 29 / 49, 0.05);  // the last begins after 49 / 25 s
  expect_numbers(*video, every_frame(30));
}

TEST_F(VideoFile, reads_one_frame_animated_gif_and_large_pictures) {
  const auto one = scratch_ / "one.mp4";
  ffmpeg(numbered(1, "64x48", 25) + " -c:v libx264 -pix_fmt yuv420p", one);
  EXPECT_EQ(video_module().open_video(one)->facts().frames, 1);
  expect_numbers(*video_module().open_video(one), {0, 0});

  const auto gif = scratch_ / "many.gif";
  ffmpeg(numbered(12, "40x30", 10), gif);
  const auto moving = video_module().open_video(gif);
  EXPECT_EQ(moving->facts().frames, 12);
  EXPECT_NEAR(moving->facts().fps, 10.0, 1e-6);
  expect_numbers(*moving, every_frame(12));

  const auto large = scratch_ / "large.mp4";
  ffmpeg(numbered(4, "64x36", 25) +
             " -vf scale=3840:2160 -c:v libx264 -preset ultrafast -pix_fmt yuv420p",
         large);
  const auto video = video_module().open_video(large, Index{20} << 20);  // not all of it is kept
  EXPECT_EQ(video->facts().width, 3840);
  expect_numbers(*video, {1, 3});
}

TEST_F(VideoFile, takes_any_name_as_a_name) {
  for (const std::string name : {"späte Eule 🦉 %03d.mp4", "http:colon.mp4", "-dash.mp4"}) {
    const auto plain = scratch_ / "plain.mp4";
    ffmpeg(numbered(3, "64x48", 25) + " -c:v libx264 -pix_fmt yuv420p", plain);
    std::filesystem::rename(plain, scratch_ / name);
    EXPECT_EQ(video_module().open_video(scratch_ / name)->facts().frames, 3) << name;
  }
}

TEST_F(VideoFile, gives_the_frames_that_a_truncated_file_still_holds) {
  const auto whole = scratch_ / "whole.mkv";
  ffmpeg(numbered(100, "64x48", 25) + " -c:v libx264 -bf 0 -g 10 -pix_fmt yuv420p", whole);
  const std::string bytes = read_file(whole);
  const auto cut = scratch_ / "cut.mkv";
  write_file(cut, std::string_view(bytes).substr(0, bytes.size() / 2));
  const auto video = video_module().open_video(cut);
  EXPECT_GT(video->facts().frames, 20);
  EXPECT_LT(video->facts().frames, 80);
  expect_numbers(*video, every_frame(video->facts().frames - 1));  // the last may be patched
  const auto again = video_module().open_video(cut, kKeepNothing);
  EXPECT_EQ(again->facts().frames, video->facts().frames);
  expect_numbers(*again, every_frame(again->facts().frames - 1));
}

TEST_F(VideoFile, refuses_with_a_sentence_what_holds_no_frame) {
  const auto empty = scratch_ / "empty.mp4";
  write_file(empty, "");
  EXPECT_EQ(refusal(empty), empty.string() + ": the file is empty");

  const auto text = scratch_ / "text.mp4";
  write_file(text, "this is not a video, whatever it is called\n");
  EXPECT_THAT(refusal(text), StartsWith(text.string() + ": it cannot be read as a video: "));

  const auto sound = scratch_ / "sound.mp4";
  ffmpeg("-f lavfi -i \"sine=d=0.5\"", sound);
  EXPECT_EQ(refusal(sound), sound.string() + ": it holds no pictures, only sound or text");

  const auto covered = scratch_ / "covered.mp3";
  ffmpeg(
      "-f lavfi -i \"sine=d=0.5\" -f lavfi -i \"color=red:s=32x32:r=25:d=0.04\" -frames:v 1 -map 0 "
      "-map 1 "
      "-c:v png -disposition:v attached_pic",
      covered);
  EXPECT_EQ(refusal(covered), covered.string() + ": it holds no pictures but that of a cover");

  const auto whole = scratch_ / "whole.mp4";  // its index is at the end
  ffmpeg(numbered(20, "64x48", 25) + " -c:v libx264 -pix_fmt yuv420p", whole);
  const auto cut = scratch_ / "cut.mp4";
  write_file(cut, std::string_view(read_file(whole)).substr(0, 900));
  EXPECT_THAT(refusal(cut), AllOf(StartsWith(cut.string()), HasSubstr("moov atom not found")));

  EXPECT_THAT(refusal(scratch_ / "absent.mp4"), EndsWith("there is no such file"));
  const auto list = scratch_ / "list.mp4";  // a list of files leads nowhere
  write_file(list, "ffconcat version 1.0\nfile /etc/passwd\n");
  EXPECT_THAT(refusal(list), StartsWith(list.string() + ": "));
}

TEST_F(VideoFile, refuses_frames_that_are_not_there) {
  const auto path = scratch_ / "short.mp4";
  ffmpeg(numbered(3, "64x48", 25) + " -c:v libx264 -pix_fmt yuv420p", path);
  const auto video = video_module().open_video(path);
  try {
    video->read(std::vector<Index>{3}, [](Index, const Picture&) {});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), path.string() + ": frame 3 is wanted, and it has 3 frames");
  }
}

}  // namespace
}  // namespace tyto
