// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/opencv/picture_files.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "tyto/core/files/files.hpp"
#include "tyto/video/opencv/opencv_calls.hpp"
#include "tyto/video/picture_bytes.hpp"

namespace tyto {

namespace {

std::uint8_t as_8_bits(std::uint8_t value) {
  return value;
}

std::uint8_t as_8_bits(std::uint16_t value) {
  return static_cast<std::uint8_t>((value * 255U + 32767U) / 65535U);
}

// One row of grey, B G R or B G R A values.
template <class Value>
void row_as_rgb(const Value* from, int channels, Index width, std::uint8_t* to) {
  for (Index x = 0; x < width; ++x, from += channels, to += 3) {
    for (int c = 0; c < 3; ++c) {
      to[c] = as_8_bits(channels == 1 ? from[0] : from[2 - c]);
    }
    if (channels == 4) {
      const unsigned opaque = as_8_bits(from[3]);
      for (int c = 0; c < 3; ++c) {
        to[c] = static_cast<std::uint8_t>((to[c] * opaque + 255U * (255U - opaque) + 127U) / 255U);
      }
    }
  }
}

Picture as_picture(const cv::Mat& mat, const std::string& file) {
  const int channels = mat.channels();
  if ((mat.depth() != CV_8U && mat.depth() != CV_16U) ||
      (channels != 1 && channels != 3 && channels != 4)) {
    throw Error(ErrorKind::data, fmt::format("{}: pixels of {} values and {} bytes are not known",
                                             file, channels, mat.elemSize()));
  }
  Picture picture(mat.cols, mat.rows);
  for (int y = 0; y < mat.rows; ++y) {
    if (mat.depth() == CV_8U) {
      row_as_rgb(mat.ptr<std::uint8_t>(y), channels, picture.width, picture.pixel(0, y));
    } else {
      row_as_rgb(mat.ptr<std::uint16_t>(y), channels, picture.width, picture.pixel(0, y));
    }
  }
  return picture;
}

std::string encoded(const Picture& picture, const char* suffix, const std::vector<int>& settings) {
  TYTO_ASSERT(picture.width > 0 && picture.height > 0);
  cv::Mat mat(static_cast<int>(picture.height), static_cast<int>(picture.width), CV_8UC3);
  for (Index y = 0; y < picture.height; ++y) {
    std::uint8_t* to = mat.ptr<std::uint8_t>(static_cast<int>(y));
    const std::uint8_t* from = picture.pixel(0, y);
    for (Index x = 0; x < picture.width; ++x, to += 3, from += 3) {
      std::reverse_copy(from, from + 3, to);
    }
  }
  return opencv_call("a picture", "it cannot be encoded", [&] {
    std::vector<std::uint8_t> bytes;
    if (!cv::imencode(suffix, mat, bytes, settings)) {
      throw Error(ErrorKind::data, "a picture: it cannot be encoded");
    }
    return std::string(bytes.begin(), bytes.end());
  });
}

}  // namespace

Picture load_picture(const std::filesystem::path& path) {
  std::string bytes = read_file(path);
  const PictureOutline outline = picture_outline(bytes, path.string());
  return opencv_call(path.string(), "the picture cannot be decoded", [&] {
    const cv::Mat raw(1, static_cast<int>(bytes.size()), CV_8UC1, bytes.data());
    const cv::Mat mat = cv::imdecode(
        raw, outline.kind == PictureKind::png ? cv::IMREAD_UNCHANGED : cv::IMREAD_COLOR);
    if (mat.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the picture cannot be decoded: it is damaged", path.string()));
    }
    return as_picture(mat, path.string());
  });
}

std::string picture_as_jpeg(const Picture& picture, int quality) {
  if (quality < 1 || quality > 100) {
    throw Error(ErrorKind::config,
                fmt::format("a JPEG's quality of {} is outside [1, 100]", quality));
  }
  return encoded(picture, ".jpg", {cv::IMWRITE_JPEG_QUALITY, quality});
}

std::string picture_as_png(const Picture& picture) {
  return encoded(picture, ".png", {});
}

}  // namespace tyto
