// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/ffmpeg/decoder.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/dict.h>
}

namespace tyto {

namespace {

constexpr std::int64_t kMostFramePixels = std::int64_t{1} << 27;
constexpr int kMostFailures = 100'000;  // a decoder that never comes to its end

Error unreadable(const std::filesystem::path& path, std::string_view why) {
  return {ErrorKind::data, fmt::format("{}: {}", path.string(), why)};
}

FormatHandle opened(const std::filesystem::path& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) {
    throw Error(ErrorKind::io, fmt::format("{}: there is no such file", path.string()));
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw unreadable(path, "it is not a file");
  }
  if (std::filesystem::file_size(path, failed) == 0 && !failed) {
    throw unreadable(path, "the file is empty");
  }
  // Named with its protocol, since a name may look like one; and no list of files may lead out.
  const std::string url = "file:" + path.string();
  AVDictionary* options = nullptr;
  av_dict_set(&options, "protocol_whitelist", "file", 0);
  av_dict_set(&options, "pattern_type", "none", 0);  // a name with %d is a name
  AVFormatContext* context = nullptr;
  forget_complaint();
  const int code = avformat_open_input(&context, url.c_str(), nullptr, &options);
  av_dict_free(&options);
  if (code < 0) {
    throw unreadable(path, fmt::format("it cannot be read as a video: {}", ffmpeg_reason(code)));
  }
  return FormatHandle(context);
}

double rate_of(const AVStream& stream) {
  for (const AVRational rate : {stream.avg_frame_rate, stream.r_frame_rate}) {
    if (rate.num > 0 && rate.den > 0) {
      return av_q2d(rate);
    }
  }
  return 0.0;
}

// The turn that the file asks for, where it is one by quarters, with or without a mirror.
std::array<int, 4> turn_of(const AVStream& stream) {
  const std::array<int, 4> none{1, 0, 0, 1};
  std::size_t size = 0;
  const std::uint8_t* data = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
  if (data == nullptr || size < 9 * sizeof(std::int32_t)) {
    return none;
  }
  std::array<std::int32_t, 9> matrix;
  std::copy_n(data, sizeof matrix, reinterpret_cast<std::uint8_t*>(matrix.data()));
  const auto sign = [](std::int32_t v) { return (v > 0) - (v < 0); };
  const std::array<int, 4> turn{sign(matrix[0]), sign(matrix[1]), sign(matrix[3]), sign(matrix[4])};
  const bool upright = turn[0] != 0 && turn[3] != 0 && turn[1] == 0 && turn[2] == 0;
  const bool lying = turn[0] == 0 && turn[3] == 0 && turn[1] != 0 && turn[2] != 0;
  return upright || lying ? turn : none;
}

}  // namespace

Decoder::Decoder(const std::filesystem::path& path, int threads)
    : format_(opened(path)), packet_(new_packet()) {
  forget_complaint();
  if (const int code = avformat_find_stream_info(format_.get(), nullptr); code < 0) {
    throw unreadable(path, fmt::format("it cannot be read as a video: {}", ffmpeg_reason(code)));
  }
  const AVCodec* codec = nullptr;
  stream_ = av_find_best_stream(format_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
  if (stream_ == AVERROR_DECODER_NOT_FOUND) {
    throw unreadable(path, "there is no decoder for its kind of video");
  }
  if (stream_ < 0) {
    throw unreadable(path, format_->nb_streams > 0 ? "it holds no pictures, only sound or text"
                                                   : "it holds no pictures");
  }
  const AVStream& stream = *format_->streams[stream_];
  if ((stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) {
    throw unreadable(path, "it holds no pictures but that of a cover");
  }
  for (unsigned i = 0; i < format_->nb_streams; ++i) {
    if (static_cast<int>(i) != stream_) {
      format_->streams[i]->discard = AVDISCARD_ALL;
    }
  }
  codec_.reset(avcodec_alloc_context3(codec));
  if (codec_ == nullptr) {
    throw std::bad_alloc();
  }
  int code = avcodec_parameters_to_context(codec_.get(), stream.codecpar);
  codec_->thread_count = std::max(1, threads);
  codec_->max_pixels = kMostFramePixels;
  codec_->pkt_timebase = stream.time_base;
  if (code < 0 || (code = avcodec_open2(codec_.get(), codec, nullptr)) < 0) {
    throw unreadable(path, fmt::format("its video cannot be decoded: {}", ffmpeg_reason(code)));
  }
  facts_ = {
      .tick = av_q2d(stream.time_base), .claimed_rate = rate_of(stream), .turn = turn_of(stream)};
}

// Hands the decoder one packet more, or tells it that there are none.
void Decoder::feed() {
  while (true) {
    av_packet_unref(packet_.get());
    const int code = av_read_frame(format_.get(), packet_.get());
    if (code == AVERROR(EAGAIN)) {
      continue;
    }
    if (code < 0) {  // the end, or as far as the file can be read
      if (code != AVERROR_EOF) {
        note_damage(code);
      }
      drained_ = true;
      avcodec_send_packet(codec_.get(), nullptr);
      return;
    }
    if (packet_->stream_index != stream_) {
      continue;
    }
    damaged_ = damaged_ || (packet_->flags & AV_PKT_FLAG_CORRUPT) != 0;
    const int sent = avcodec_send_packet(codec_.get(), packet_.get());
    if (sent >= 0) {
      return;
    }
    note_damage(sent);
  }
}

void Decoder::note_damage(int code) {
  damaged_ = true;
  ++failures_;
  reason_ = ffmpeg_reason(code);
}

bool Decoder::next(AVFrame& frame) {
  while (true) {
    av_frame_unref(&frame);
    const int code = avcodec_receive_frame(codec_.get(), &frame);
    if (code == 0) {
      damaged_ =
          damaged_ || frame.decode_error_flags != 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0;
      return true;
    }
    if (code == AVERROR_EOF ||
        (drained_ && (code == AVERROR(EAGAIN) || failures_ > kMostFailures))) {
      return false;
    }
    if (code != AVERROR(EAGAIN)) {
      note_damage(code);
    }
    if (!drained_) {  // else of the packets that the threads still hold others may be whole
      feed();
    }
  }
}

bool Decoder::seek(std::int64_t time) {
  if (avformat_seek_file(format_.get(), stream_, INT64_MIN, time, time, 0) < 0) {
    return false;
  }
  avcodec_flush_buffers(codec_.get());
  drained_ = false;
  return true;
}

std::int64_t shown_at(const AVFrame& frame) {
  return frame.best_effort_timestamp;  // AV_NOPTS_VALUE is INT64_MIN
}

}  // namespace tyto
