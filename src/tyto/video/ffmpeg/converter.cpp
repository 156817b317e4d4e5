// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/ffmpeg/converter.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

namespace tyto {

namespace {

// swscale writes whole vectors: of a row without room behind it the last pixels would stay black.
int padded_stride(int width) {
  return (width * 3 + 127) / 64 * 64;
}

}  // namespace

Picture FrameConverter::convert(const AVFrame& frame) {
  scaler_.reset(sws_getCachedContext(scaler_.release(), frame.width, frame.height,
                                     static_cast<AVPixelFormat>(frame.format), width_, height_,
                                     AV_PIX_FMT_RGB24, SWS_BICUBIC, nullptr, nullptr, nullptr));
  if (scaler_ == nullptr) {
    const char* name = av_get_pix_fmt_name(static_cast<AVPixelFormat>(frame.format));
    throw Error(ErrorKind::data, fmt::format("pixels of the format {} cannot be converted",
                                             name != nullptr ? name : "unknown"));
  }
  const int stride = padded_stride(width_);
  buffer_.resize(static_cast<std::size_t>(stride) * static_cast<std::size_t>(height_ + 1));
  std::uint8_t* const planes[] = {buffer_.data()};
  sws_scale(scaler_.get(), frame.data, frame.linesize, 0, frame.height, planes, &stride);

  Picture picture(shown_width(), shown_height());
  const bool upright = turn_ == std::array<int, 4>{1, 0, 0, 1};
  const Index last_x = turn_[0] < 0 || turn_[2] < 0 ? picture.width - 1 : 0;
  const Index last_y = turn_[1] < 0 || turn_[3] < 0 ? picture.height - 1 : 0;
  for (int y = 0; y < height_; ++y) {
    const std::uint8_t* from = buffer_.data() + static_cast<std::ptrdiff_t>(y) * stride;
    if (upright) {
      std::copy_n(from, width_ * 3, picture.pixel(0, y));
      continue;
    }
    for (int x = 0; x < width_; ++x) {
      std::copy_n(from + x * 3, 3,
                  picture.pixel(last_x + turn_[0] * x + turn_[2] * y,
                                last_y + turn_[1] * x + turn_[3] * y));
    }
  }
  return picture;
}

std::uint64_t frame_print(const AVFrame& frame) {
  const auto format = static_cast<AVPixelFormat>(frame.format);
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
  std::uint64_t print = 0x9E3779B97F4A7C15U ^ static_cast<std::uint64_t>(frame.width);
  const auto add = [&](std::uint64_t word) {
    print = (print ^ word) * 0xD6E8FEB86659FD93U;
    print ^= print >> 32;
  };
  for (int plane = 0; plane < av_pix_fmt_count_planes(format); ++plane) {
    const int shift = plane == 1 || plane == 2 ? description->log2_chroma_h : 0;
    const auto bytes =
        static_cast<std::size_t>(std::max(0, av_image_get_linesize(format, frame.width, plane)));
    for (int y = 0; y < AV_CEIL_RSHIFT(frame.height, shift); ++y) {
      const std::uint8_t* row =
          frame.data[plane] + static_cast<std::ptrdiff_t>(y) * frame.linesize[plane];
      for (std::size_t begin = 0; begin < bytes; begin += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, row + begin, std::min<std::size_t>(8, bytes - begin));
        add(word);
      }
    }
  }
  return print;
}

Index frame_bytes(const AVFrame& frame) {
  Index bytes = 0;
  for (const AVBufferRef* buffer : frame.buf) {
    bytes += buffer != nullptr ? static_cast<Index>(buffer->size) : 0;
  }
  return bytes;
}

}  // namespace tyto
