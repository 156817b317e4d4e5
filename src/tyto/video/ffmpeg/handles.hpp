// SPDX-License-Identifier: Apache-2.0
// FFmpeg's objects as owners, and its errors as sentences.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

struct AVFormatContext;
struct AVCodecContext;
struct AVPacket;
struct AVFrame;
struct SwsContext;

namespace tyto {

struct FfmpegFree {
  void operator()(AVFormatContext* context) const;  // of a file that is read
  void operator()(AVCodecContext* context) const;
  void operator()(AVPacket* packet) const;
  void operator()(AVFrame* frame) const;
  void operator()(SwsContext* context) const;
};

using FormatHandle = std::unique_ptr<AVFormatContext, FfmpegFree>;
using CodecHandle = std::unique_ptr<AVCodecContext, FfmpegFree>;
using PacketHandle = std::unique_ptr<AVPacket, FfmpegFree>;
using FrameHandle = std::unique_ptr<AVFrame, FfmpegFree>;
using ScalerHandle = std::unique_ptr<SwsContext, FfmpegFree>;

PacketHandle new_packet();
FrameHandle new_frame();

// FFmpeg writes nothing to the terminal; what it complained of last on this thread is kept.
void quiet_ffmpeg();
void forget_complaint();

// Why a call failed, with what was complained of: "Invalid data found when processing input (moov
// atom not found)".
std::string ffmpeg_reason(int code);

}  // namespace tyto
