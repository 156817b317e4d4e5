// SPDX-License-Identifier: Apache-2.0
// libtyto_video.so as seen from libtyto.so.
#include "tyto/video/ffmpeg/file_reader.hpp"
#include "tyto/video/ffmpeg/handles.hpp"
#include "tyto/video/ffmpeg/writer.hpp"
#include "tyto/video/folder_reader.hpp"
#include "tyto/video/opencv/onnx_backbone.hpp"
#include "tyto/video/opencv/opencv_calls.hpp"
#include "tyto/video/opencv/picture_files.hpp"

namespace tyto {

namespace {

struct VideoLibrary final : VideoModule {
  VideoLibrary() {
    quiet_ffmpeg();
    quiet_opencv();
  }

  [[nodiscard]] std::unique_ptr<VideoReader> open_video(const std::filesystem::path& path,
                                                        Index most_kept) const override {
    return std::filesystem::is_directory(path) ? open_picture_folder(path)
                                               : open_video_file(path, most_kept);
  }

  [[nodiscard]] Picture read_picture(const std::filesystem::path& path) const override {
    return load_picture(path);
  }

  [[nodiscard]] std::string as_jpeg(const Picture& picture, int quality) const override {
    return picture_as_jpeg(picture, quality);
  }

  [[nodiscard]] std::string as_png(const Picture& picture) const override {
    return picture_as_png(picture);
  }

  void write_video(std::span<const Picture> frames, double fps,
                   const std::filesystem::path& path) const override {
    write_lossless(frames, fps, path);
  }

  [[nodiscard]] std::unique_ptr<Backbone> open_onnx(const std::filesystem::path& path,
                                                    const Recipe& recipe,
                                                    const OnnxOptions& options) const override {
    return open_onnx_file(path, recipe, options);
  }
};

}  // namespace

}  // namespace tyto

extern "C" const tyto::VideoModule* tyto_video_module() {
  static const tyto::VideoLibrary library;
  return &library;
}
