// SPDX-License-Identifier: Apache-2.0
// The door to libtyto_video.so, which alone links FFmpeg (videos) and OpenCV (pictures, ONNX) and
// is opened when either is first needed.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tyto/nn/backbone.hpp"
#include "tyto/video/picture.hpp"

namespace tyto {

struct VideoFacts {
  Index frames = 0;             // that can be decoded
  Index width = 0, height = 0;  // as shown: after the rotation that the file asks for
  double fps = 0;               // frames / duration; 0: not known (a folder of pictures)
  bool constant_rate = true;
};

// The frames of one video, numbered from 0 as they are decoded, whatever their time stamps say.
struct VideoReader : Interface {
  [[nodiscard]] virtual const VideoFacts& facts() const = 0;

  // Gives the wanted frames, which ascend, in order; a number may come several times. What is not
  // wanted is not converted, and skipped where that gives the same frames. Throws Error(data)
  // naming the file, the frame and the reason.
  virtual void read(std::span<const Index> wanted,
                    const std::function<void(Index frame, const Picture& picture)>& take) = 0;
};

struct OnnxOptions {
  std::string feature_layer;              // "": the last one
  std::string logits_layer;               // "": none
  std::vector<std::string> classes = {};  // names of the logits; {}: unknown
};

struct VideoModule : Interface {
  // Any container and codec FFmpeg reads, an animated GIF too; or a folder of numbered pictures.
  // Decodes a file once on all threads, since nothing else tells its frames exactly; decoded frames
  // that together take at most `most_kept` bytes are kept, so that read() need not decode again.
  // Throws Error naming the file and why no frame of it can be read.
  [[nodiscard]] virtual std::unique_ptr<VideoReader> open_video(const std::filesystem::path& path,
                                                                Index most_kept) const = 0;

  [[nodiscard]] std::unique_ptr<VideoReader> open_video(const std::filesystem::path& path) const {
    return open_video(path, Index{128} << 20);
  }

  // PNG or JPEG as it is shown; grey values and palettes become R G B, transparency white.
  [[nodiscard]] virtual Picture read_picture(const std::filesystem::path& path) const = 0;
  [[nodiscard]] virtual std::string as_jpeg(const Picture& picture, int quality) const = 0;
  [[nodiscard]] virtual std::string as_png(const Picture& picture) const = 0;
  // Frames as a video file, for worlds that are drawn and for tests: lossless (FFV1 in Matroska).
  virtual void write_video(std::span<const Picture> frames, double fps,
                           const std::filesystem::path& path) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Backbone> open_onnx(const std::filesystem::path& path,
                                                            const Recipe& recipe,
                                                            const OnnxOptions& options) const = 0;
};

// Opens the module beside libtyto.so on the first call and keeps it. Thread safe. Throws Error(io)
// naming the file where it is missing or does not fit.
const VideoModule& video_module();

}  // namespace tyto
