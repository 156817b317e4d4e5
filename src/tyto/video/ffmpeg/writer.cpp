// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/ffmpeg/writer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/video/ffmpeg/handles.hpp"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

namespace tyto {

namespace {

// A Matroska file in memory, and what goes into it.
class LosslessFile {
 public:
  LosslessFile(int width, int height, AVRational rate) {
    checked(avformat_alloc_output_context2(&format_, nullptr, "matroska", nullptr));
    format_->flags |= AVFMT_FLAG_BITEXACT;  // no date, no random name
    checked(avio_open_dyn_buf(&format_->pb));
    stream_ = avformat_new_stream(format_, nullptr);
    const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_FFV1);
    if (stream_ == nullptr || codec == nullptr) {
      throw Error(ErrorKind::io, "this FFmpeg cannot write FFV1");
    }
    codec_.reset(avcodec_alloc_context3(codec));
    codec_->width = width;
    codec_->height = height;
    codec_->pix_fmt = AV_PIX_FMT_0RGB32;
    codec_->time_base = av_inv_q(rate);
    codec_->framerate = rate;
    codec_->thread_count = 1;
    codec_->flags |= AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_GLOBAL_HEADER;
    checked(avcodec_open2(codec_.get(), codec, nullptr));
    checked(avcodec_parameters_from_context(stream_->codecpar, codec_.get()));
    stream_->time_base = codec_->time_base;
    stream_->avg_frame_rate = rate;
    checked(avformat_write_header(format_, nullptr));
    frame_->format = AV_PIX_FMT_0RGB32;
    frame_->width = width;
    frame_->height = height;
    checked(av_frame_get_buffer(frame_.get(), 0));
  }

  ~LosslessFile() {
    if (format_ != nullptr && format_->pb != nullptr) {
      std::uint8_t* rest = nullptr;
      avio_close_dyn_buf(format_->pb, &rest);
      av_free(rest);
    }
    avformat_free_context(format_);
  }

  LosslessFile(const LosslessFile&) = delete;
  LosslessFile& operator=(const LosslessFile&) = delete;

  void add(const Picture& picture, std::int64_t number) {
    checked(av_frame_make_writable(frame_.get()));
    for (Index y = 0; y < picture.height; ++y) {
      std::uint8_t* to = frame_->data[0] + y * frame_->linesize[0];
      const std::uint8_t* from = picture.pixel(0, y);
      for (Index x = 0; x < picture.width; ++x, to += 4, from += 3) {
        const std::uint32_t pixel = static_cast<std::uint32_t>(from[0]) << 16 |
                                    static_cast<std::uint32_t>(from[1]) << 8 | from[2];
        std::copy_n(reinterpret_cast<const std::uint8_t*>(&pixel), 4, to);
      }
    }
    frame_->pts = number;
    encode(frame_.get());
  }

  std::string finish() {
    encode(nullptr);
    checked(av_write_trailer(format_));
    std::uint8_t* bytes = nullptr;
    const int size = avio_close_dyn_buf(format_->pb, &bytes);
    format_->pb = nullptr;
    std::string content(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    av_free(bytes);
    return content;
  }

 private:
  static void checked(int code) {
    if (code < 0) {
      throw Error(ErrorKind::io, ffmpeg_reason(code));
    }
  }

  void encode(const AVFrame* frame) {
    checked(avcodec_send_frame(codec_.get(), frame));
    int code = 0;
    while ((code = avcodec_receive_packet(codec_.get(), packet_.get())) == 0) {
      av_packet_rescale_ts(packet_.get(), codec_->time_base, stream_->time_base);
      packet_->stream_index = stream_->index;
      checked(av_interleaved_write_frame(format_, packet_.get()));
    }
    if (code != AVERROR(EAGAIN) && code != AVERROR_EOF) {
      checked(code);
    }
  }

  AVFormatContext* format_ = nullptr;
  AVStream* stream_ = nullptr;
  CodecHandle codec_;
  FrameHandle frame_ = new_frame();
  PacketHandle packet_ = new_packet();
};

}  // namespace

void write_lossless(std::span<const Picture> frames, double fps,
                    const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& why) {
    return Error(ErrorKind::data, fmt::format("{}: {}", path.string(), why));
  };
  if (frames.empty()) {
    throw refuse("a video needs a frame");
  }
  if (!(fps > 0.0) || !(fps <= 1000.0)) {  // Matroska counts milliseconds
    throw refuse(fmt::format("{} frames a second is outside (0, 1000]", fps));
  }
  const Index width = frames[0].width;
  const Index height = frames[0].height;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].width != width || frames[i].height != height || width < 1 || height < 1) {
      throw refuse(fmt::format("frame {} is {} x {}, and the first {} x {}", i, frames[i].width,
                               frames[i].height, width, height));
    }
  }
  try {
    forget_complaint();
    LosslessFile file(static_cast<int>(width), static_cast<int>(height), av_d2q(fps, 1'001'000));
    for (std::size_t i = 0; i < frames.size(); ++i) {
      file.add(frames[i], static_cast<std::int64_t>(i));
    }
    write_file(path, file.finish());
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(path.string())) {
      throw;
    }
    throw Error(error.kind(),
                fmt::format("{}: it cannot be written: {}", path.string(), error.what()));
  }
}

}  // namespace tyto
