// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/ffmpeg/file_reader.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/video/ffmpeg/converter.hpp"
#include "tyto/video/ffmpeg/decoder.hpp"
#include "tyto/video/ffmpeg/frame_times.hpp"
#include "tyto/video/wanted_frames.hpp"

extern "C" {
#include <libavutil/frame.h>
}

namespace tyto {

namespace {

constexpr Index kWorthSeeking = 16;  // frames left out at least

class FileReader final : public VideoReader {
 public:
  FileReader(std::filesystem::path path, Index most_kept)
      : path_(std::move(path)), most_kept_(most_kept) {
    threads_ = thread_count();
    if (look_through() && threads_ > 1) {  // patched by chance: again on one thread
      threads_ = 1;
      look_through();
    }
    if (times_.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: no frame of it can be decoded{}{}", path_.string(),
                              reason_.empty() ? "" : ": ", reason_));
    }
  }

  [[nodiscard]] const VideoFacts& facts() const override { return facts_; }

  void read(std::span<const Index> wanted,
            const std::function<void(Index frame, const Picture& picture)>& take) override {
    give_wanted(
        wanted, facts_.frames, path_,
        [this](Index frame) {
          return converted(kept_.empty() ? decoded(frame) : *kept_[at(frame)], frame);
        },
        take);
  }

 private:
  // Decodes everything; true where something of it was damaged.
  bool look_through() {
    decoder_.emplace(path_, threads_);
    times_.clear();
    prints_.clear();
    keys_.clear();
    kept_.clear();
    bool keeps = true;
    Index bytes = 0;
    FrameHandle frame = new_frame();
    while (decoder_->next(*frame)) {
      if (times_.empty()) {
        converter_.emplace(frame->width, frame->height, decoder_->facts().turn);
      }
      if (frame->key_frame != 0) {
        keys_.push_back(std::ssize(times_));
      }
      times_.push_back(shown_at(*frame));
      bytes += frame_bytes(*frame);
      if (keeps && bytes > most_kept_) {
        keeps = false;
        for (const FrameHandle& earlier : kept_) {
          prints_.push_back(frame_print(*earlier));
        }
        kept_.clear();
      }
      if (keeps) {
        kept_.push_back(std::move(frame));
        frame = new_frame();
      } else {
        prints_.push_back(frame_print(*frame));
      }
    }
    const bool damaged = decoder_->damaged();
    reason_ = decoder_->last_reason();
    const StreamFacts stream = decoder_->facts();
    decoder_.reset();
    if (times_.empty()) {
      return damaged;
    }
    const FrameRate rate = rate_of_times(times_, stream.tick, stream.claimed_rate);
    timed_ = rate.ordered;
    facts_ = {.frames = std::ssize(times_),
              .width = converter_->shown_width(),
              .height = converter_->shown_height(),
              .fps = rate.fps,
              .constant_rate = rate.constant};
    return damaged;
  }

  Picture converted(const AVFrame& frame, Index number) {
    try {
      return converter_->convert(frame);
    } catch (const Error& error) {
      throw Error(error.kind(),
                  fmt::format("{}: frame {}: {}", path_.string(), number, error.what()));
    }
  }

  // A frame of a video that is not kept.
  const AVFrame& decoded(Index wanted) {
    if (place_ == wanted) {
      return *frame_;
    }
    const auto after = std::upper_bound(keys_.begin(), keys_.end(), wanted);
    const Index key = after != keys_.begin() ? *std::prev(after) : 0;
    const Index from_here = place_ < wanted ? place_ : -1;
    const bool far = key < timed_ && key > from_here + kWorthSeeking;
    if (far || (jumped_ && place_ < wanted)) {
      if ((!far || jump(key)) && step_to(wanted) && frame_print(*frame_) == prints_[at(wanted)]) {
        return *frame_;
      }
      timed_ = 0;  // this file cannot be trusted with it
    }
    if (!decoder_ || jumped_ || place_ > wanted) {
      start_over();
    }
    if (!step_to(wanted)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: frame {} could be decoded before, and cannot now; "
                              "was the file changed?",
                              path_.string(), wanted));
    }
    return *frame_;
  }

  void start_over() {
    decoder_.emplace(path_, threads_);
    jumped_ = false;
    place_ = -1;
  }

  bool jump(Index key) {
    if (!decoder_) {
      start_over();
    }
    jumped_ = true;
    place_ = -1;
    return decoder_->seek(times_[at(key)]);
  }

  // Decodes as far as `wanted`; false where it does not come.
  bool step_to(Index wanted) {
    while (place_ < wanted) {
      if (!decoder_->next(*frame_)) {
        return false;
      }
      place_ = jumped_ ? place_after_jump() : place_ + 1;
    }
    return place_ == wanted;
  }

  // Then frames are told by their times; those at the end that have none by those before them.
  [[nodiscard]] Index place_after_jump() const {
    if (place_ + 1 >= timed_) {
      return place_ + 1;
    }
    const auto end = times_.begin() + timed_;
    const auto found = std::lower_bound(times_.begin(), end, shown_at(*frame_));
    return found != end && *found == shown_at(*frame_) ? found - times_.begin() : facts_.frames;
  }

  std::filesystem::path path_;
  Index most_kept_;
  int threads_ = 1;
  VideoFacts facts_;
  std::string reason_;
  std::optional<FrameConverter> converter_;
  std::vector<std::int64_t> times_;
  std::vector<std::uint64_t> prints_;  // of videos that are not kept
  std::vector<Index> keys_;            // frames that need no other
  std::vector<FrameHandle> kept_;

  // Where reading a video that is not kept has got to.
  std::optional<Decoder> decoder_;
  FrameHandle frame_ = new_frame();
  Index place_ = -1;
  Index timed_ = 0;  // frames that can be sought: those with times that ascend
  bool jumped_ = false;
};

}  // namespace

std::unique_ptr<VideoReader> open_video_file(const std::filesystem::path& path, Index most_kept) {
  return std::make_unique<FileReader>(path, most_kept);
}

}  // namespace tyto
