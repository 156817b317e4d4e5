// SPDX-License-Identifier: Apache-2.0
// Videos that tell which frame is which, made by the ffmpeg program.
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/scratch.hpp"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/video/module.hpp"

namespace tyto::testing_support {

inline bool has_ffmpeg() {
  return std::system("ffmpeg -version > /dev/null 2>&1") == 0;
}

// Runs ffmpeg; `out` is quoted, the rest is not.
inline void ffmpeg(const std::string& arguments, const std::filesystem::path& out) {
  const std::string command =
      fmt::format("timeout 60 ffmpeg -nostdin -v error -y {} '{}' 2>&1", arguments, out.string());
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

// The grey level of frame i: no two of 200 are the same, and neighbours are far apart.
inline int level_of(Index i) {
  return static_cast<int>(20 + i * 37 % 200);
}

// A source of frames whose grey level is level_of(number).
inline std::string numbered(Index frames, const std::string& size, double fps) {
  return fmt::format(
      "-f lavfi -i \"color=black:s={}:r={}:d={},format=gray,geq=lum='20+mod(N*37,200)'\" "
      "-frames:v {}",
      size, fps, static_cast<double>(frames) / fps + 1.0, frames);
}

inline double mean_level(const Picture& picture) {
  double sum = 0.0;
  for (const std::uint8_t value : picture.rgb) {
    sum += value;
  }
  return sum / static_cast<double>(picture.rgb.size());
}

// The levels of the wanted frames.
inline std::vector<double> levels(VideoReader& video, const std::vector<Index>& wanted) {
  std::vector<double> found;
  video.read(wanted, [&](Index frame, const Picture& picture) {
    EXPECT_EQ(frame, wanted[found.size()]);
    EXPECT_EQ(picture.width, video.facts().width);
    EXPECT_EQ(picture.height, video.facts().height);
    found.push_back(mean_level(picture));
  });
  EXPECT_EQ(found.size(), wanted.size());
  return found;
}

// Each wanted frame is that frame, up to what lossy codecs do to a grey level.
inline void expect_numbers(VideoReader& video, const std::vector<Index>& wanted) {
  const std::vector<double> found = levels(video, wanted);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], level_of(wanted[i]), 6.0) << "frame " << wanted[i];
  }
}

inline std::vector<Index> every_frame(Index n) {
  std::vector<Index> frames;
  for (Index i = 0; i < n; ++i) {
    frames.push_back(i);
  }
  return frames;
}

// The sentence with which a file is refused.
inline std::string refusal(const std::filesystem::path& path) {
  try {
    (void)video_module().open_video(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace tyto::testing_support
