// SPDX-License-Identifier: Apache-2.0
// The frames of the video stream of one file, one after another as they are shown.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>

#include "tyto/video/ffmpeg/handles.hpp"

namespace tyto {

struct StreamFacts {
  double tick = 0;          // seconds of one step of the time stamps
  double claimed_rate = 0;  // frames a second, as the file says; 0: it does not
  std::array<int, 4> turn{1, 0, 0,
                          1};  // where columns and rows go: x' = t0 x + t2 y, y' = t1 x + t3 y
};

class Decoder {
 public:
  // Decodes on so many threads. Throws Error naming the file and why it cannot be read.
  Decoder(const std::filesystem::path& path, int threads);

  // The next frame, into `frame`. False: there are no more. What cannot be decoded is left out.
  bool next(AVFrame& frame);

  // Goes to a place from which the frame shown at `time` can be decoded; false: it cannot be found.
  bool seek(std::int64_t time);

  [[nodiscard]] const StreamFacts& facts() const { return facts_; }

  // Something could not be decoded so far, or not well: several threads may patch it differently.
  [[nodiscard]] bool damaged() const { return damaged_; }

  [[nodiscard]] const std::string& last_reason() const { return reason_; }

 private:
  void feed();
  void note_damage(int code);

  FormatHandle format_;
  CodecHandle codec_;
  PacketHandle packet_;
  StreamFacts facts_;
  int stream_ = -1;
  bool drained_ = false;
  bool damaged_ = false;
  int failures_ = 0;
  std::string reason_;
};

// When a frame is shown, in ticks; the least number there is where the file does not say.
std::int64_t shown_at(const AVFrame& frame);

}  // namespace tyto
