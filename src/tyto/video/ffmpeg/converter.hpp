// SPDX-License-Identifier: Apache-2.0
// Decoded frames as pictures.
#pragma once

#include <array>
#include <vector>

#include "tyto/video/ffmpeg/handles.hpp"
#include "tyto/video/picture.hpp"

namespace tyto {

// Any pixel format becomes R G B as OpenCV's VideoCapture has it: swscale's bicubic without
// further flags, BT.601 whatever the file says of its colours. Frames of another size than `width`
// x `height` are resized; then the picture is turned as the file asks (StreamFacts::turn).
class FrameConverter {
 public:
  FrameConverter(int width, int height, const std::array<int, 4>& turn)
      : width_(width), height_(height), turn_(turn) {}

  // Of a picture as shown.
  [[nodiscard]] Index shown_width() const { return turn_[0] != 0 ? width_ : height_; }

  [[nodiscard]] Index shown_height() const { return turn_[0] != 0 ? height_ : width_; }

  // Throws Error(data) where swscale does not know the pixel format; its message names no file.
  Picture convert(const AVFrame& frame);

 private:
  int width_, height_;
  std::array<int, 4> turn_;
  ScalerHandle scaler_;
  std::vector<std::uint8_t> buffer_;
};

// A number that tells the content of a frame, for recognising it again.
std::uint64_t frame_print(const AVFrame& frame);

// Bytes held by a frame.
Index frame_bytes(const AVFrame& frame);

}  // namespace tyto
