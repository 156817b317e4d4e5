// SPDX-License-Identifier: Apache-2.0
// Pictures in files, and folders of them.
#include "support/scratch.hpp"
#include "video/formula_picture.hpp"
#include "video/made_video.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/video/module.hpp"
#include "tyto/video/natural_order.hpp"
#include "tyto/video/picture_bytes.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::ffmpeg;
using testing_support::formula_picture;
using testing_support::has_ffmpeg;
using testing_support::Scratch;

std::string picture_refusal(const std::filesystem::path& path) {
  try {
    (void)video_module().read_picture(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(NaturalOrder, counts_as_people_do) {
  EXPECT_TRUE(natural_less("frame2.png", "frame10.png"));
  EXPECT_FALSE(natural_less("frame10.png", "frame2.png"));
  EXPECT_TRUE(natural_less("frame0009.png", "frame10.png"));
  EXPECT_TRUE(natural_less("a", "a1"));
  EXPECT_TRUE(natural_less("a01", "a1"));  // the same number, told apart
  EXPECT_FALSE(natural_less("a1", "a01"));
  EXPECT_FALSE(natural_less("a1", "a1"));
  EXPECT_TRUE(natural_less("x99999999999999999999998", "x99999999999999999999999"));
  EXPECT_TRUE(natural_less("1a", "b"));
}

TEST(PictureFile, reads_what_it_encodes) {
  const Scratch scratch;
  const Picture picture = formula_picture(33, 21);
  write_file(scratch / "a.png", video_module().as_png(picture));
  EXPECT_EQ(video_module().read_picture(scratch / "a.png"), picture);

  Picture smooth(40, 30);
  for (Index y = 0; y < 30; ++y) {
    for (Index x = 0; x < 40; ++x) {
      smooth.pixel(x, y)[0] = static_cast<std::uint8_t>(x * 5);
      smooth.pixel(x, y)[1] = static_cast<std::uint8_t>(y * 7);
      smooth.pixel(x, y)[2] = 60;
    }
  }
  write_file(scratch / "a.jpg", video_module().as_jpeg(smooth, 95));
  const Picture back = video_module().read_picture(scratch / "a.jpg");
  ASSERT_EQ(back.rgb.size(), smooth.rgb.size());
  for (std::size_t i = 0; i < back.rgb.size(); ++i) {
    ASSERT_NEAR(back.rgb[i], smooth.rgb[i], 12) << i;
  }
  EXPECT_LT(video_module().as_jpeg(smooth, 10).size(), video_module().as_jpeg(smooth, 95).size());
  EXPECT_THROW((void)video_module().as_jpeg(smooth, 0), Error);
}

TEST(PictureFile, refuses_what_is_cut_off_damaged_or_too_large) {
  const Scratch scratch;
  const Picture picture = formula_picture(64, 64);
  const std::string png = video_module().as_png(picture);
  const std::string jpeg = video_module().as_jpeg(picture, 90);
  const auto refused = [&](std::string_view bytes) {
    write_file(scratch / "bad", bytes);
    return picture_refusal(scratch / "bad");
  };
  for (const std::size_t size : {std::size_t{9}, std::size_t{40}, png.size() / 2, png.size() - 1}) {
    EXPECT_THAT(refused(std::string_view(png).substr(0, size)),
                AllOf(StartsWith((scratch / "bad").string()), HasSubstr("cut off")))
        << size;
  }
  for (const std::size_t size :
       {std::size_t{4}, std::size_t{30}, jpeg.size() / 2, jpeg.size() - 1}) {
    EXPECT_THAT(refused(std::string_view(jpeg).substr(0, size)), HasSubstr("cut off")) << size;
  }
  std::string damaged = png;
  damaged[png.size() / 2] = static_cast<char>(damaged[png.size() / 2] ^ 1);
  EXPECT_THAT(refused(damaged), HasSubstr("part IDAT of the PNG picture, at byte 33, is damaged"));
  EXPECT_THAT(refused(""), HasSubstr("the file is empty"));
  EXPECT_THAT(refused("GIF89a"), HasSubstr("neither a PNG nor a JPEG"));
  EXPECT_THAT(picture_refusal(scratch / "absent.png"), HasSubstr("absent.png"));

  std::string large = jpeg;  // what its header claims is looked at before anything is allocated
  const std::size_t frame = large.find("\xff\xc0");
  ASSERT_NE(frame, large.npos);
  large.replace(frame + 5, 4, "\xff\xff\xff\xff");
  EXPECT_THAT(refused(large), HasSubstr("a picture of 65535 x 65535 has more than"));
}

TEST(PictureFile, of_any_kind_becomes_red_green_and_blue) {
  if (!has_ffmpeg()) {
    GTEST_SKIP() << "the program ffmpeg, which makes the pictures of this test, is not installed";
  }
  const Scratch scratch;
  const auto first_pixel = [&](const std::string& name) {
    const Picture picture = video_module().read_picture(scratch / name);
    return std::vector<int>(picture.rgb.begin(), picture.rgb.begin() + 3);
  };
  const auto make = [&](const std::string& colour, const std::string& format) {
    ffmpeg(fmt::format("-f lavfi -i \"color={}:s=8x6,format=rgba,format={}\" -frames:v 1", colour,
                       format),
           scratch / (format + ".png"));
  };
  using testing::ElementsAre;
  make("0x204060", "rgb24");
  EXPECT_THAT(first_pixel("rgb24.png"), ElementsAre(0x20, 0x40, 0x60));
  make("0x505050", "gray");
  EXPECT_THAT(first_pixel("gray.png"), ElementsAre(0x50, 0x50, 0x50));
  make("0x505050", "gray16be");
  EXPECT_THAT(first_pixel("gray16be.png"), ElementsAre(0x50, 0x50, 0x50));
  make("0x204060", "rgb48be");
  EXPECT_THAT(first_pixel("rgb48be.png"), ElementsAre(0x20, 0x40, 0x60));
  make("0x204060@0.0", "rgba");
  EXPECT_THAT(first_pixel("rgba.png"), ElementsAre(255, 255, 255));
  make("0x000000@0.2", "ya8");  // 51 of 255 opaque
  EXPECT_THAT(first_pixel("ya8.png"), ElementsAre(204, 204, 204));
  make("0xFF0000", "pal8");
  EXPECT_THAT(first_pixel("pal8.png"), ElementsAre(testing::Ge(250), 0, 0));
  ffmpeg("-f lavfi -i \"color=0x808080:s=16x16,format=gray\" -frames:v 1", scratch / "gray.jpg");
  const std::vector<int> grey = first_pixel("gray.jpg");
  EXPECT_NEAR(grey[0], 0x80, 4);
  EXPECT_THAT(grey, ElementsAre(grey[0], grey[0], grey[0]));
}

TEST(PictureFolder, is_a_video_in_the_order_of_its_numbers) {
  const Scratch scratch;
  const auto folder = scratch / "frames";
  make_folder(folder);
  for (const int i : {1, 2, 3, 9, 10, 11}) {
    Picture picture(6, 4);
    std::fill(picture.rgb.begin(), picture.rgb.end(), static_cast<std::uint8_t>(i));
    write_file(folder / fmt::format("frame{}.PNG", i), video_module().as_png(picture));
  }
  write_file(folder / "notes.txt", "left aside");
  write_file(folder / ".hidden.png", "left aside");
  const auto video = video_module().open_video(folder);
  EXPECT_EQ(video->facts().frames, 6);
  EXPECT_EQ(video->facts().width, 6);
  EXPECT_EQ(video->facts().fps, 0.0);
  std::vector<int> seen;
  video->read(std::vector<Index>{0, 1, 3, 4, 4, 5},
              [&](Index, const Picture& picture) { seen.push_back(picture.rgb[0]); });
  EXPECT_THAT(seen, testing::ElementsAre(1, 2, 9, 10, 10, 11));

  std::filesystem::remove(folder / "frame9.PNG");  // while it is read
  EXPECT_THROW(video->read(std::vector<Index>{3}, [](Index, const Picture&) {}), Error);
  write_file(folder / "frame10.PNG", video_module().as_png(Picture(5, 5)));
  try {
    video->read(std::vector<Index>{4}, [](Index, const Picture&) {});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("frame10.PNG: the picture is 5 x 5, and the first of its folder 6 x 4"));
  }
  make_folder(scratch / "none");
  EXPECT_THAT(testing_support::refusal(scratch / "none"),
              HasSubstr("the folder holds no PNG or JPEG pictures"));
}

}  // namespace
}  // namespace tyto
