// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/ffmpeg/handles.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <new>

#include <fmt/format.h>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/log.h>
#include <libswscale/swscale.h>
}

namespace tyto {

namespace {

thread_local std::string complaint;

void keep_complaint(void*, int level, const char* format, va_list arguments) {
  if (level > AV_LOG_ERROR) {
    return;
  }
  std::array<char, 256> line{};
  std::vsnprintf(line.data(), line.size(), format, arguments);
  complaint = line.data();
  complaint.erase(complaint.find_last_not_of(" \n.") + 1);
}

}  // namespace

void FfmpegFree::operator()(AVFormatContext* context) const {
  avformat_close_input(&context);
}

void FfmpegFree::operator()(AVCodecContext* context) const {
  avcodec_free_context(&context);
}

void FfmpegFree::operator()(AVPacket* packet) const {
  av_packet_free(&packet);
}

void FfmpegFree::operator()(AVFrame* frame) const {
  av_frame_free(&frame);
}

void FfmpegFree::operator()(SwsContext* context) const {
  sws_freeContext(context);
}

PacketHandle new_packet() {
  PacketHandle packet(av_packet_alloc());
  if (packet == nullptr) {
    throw std::bad_alloc();
  }
  return packet;
}

FrameHandle new_frame() {
  FrameHandle frame(av_frame_alloc());
  if (frame == nullptr) {
    throw std::bad_alloc();
  }
  return frame;
}

void quiet_ffmpeg() {
  av_log_set_callback(keep_complaint);
}

void forget_complaint() {
  complaint.clear();
}

std::string ffmpeg_reason(int code) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(code, text.data(), text.size());
  return complaint.empty() ? std::string(text.data())
                           : fmt::format("{} ({})", text.data(), complaint);
}

}  // namespace tyto
