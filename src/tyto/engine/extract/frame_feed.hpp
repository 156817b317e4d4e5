// SPDX-License-Identifier: Apache-2.0
// Media decoded and prepared ahead of the network, on a thread of its own, with bounded memory.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tyto/engine/extract/media.hpp"
#include "tyto/nn/backbone.hpp"
#include "tyto/video/module.hpp"
#include "tyto/video/picture.hpp"

namespace tyto {

// What is done to the pictures of a sample before the network sees them.
using PictureChange = std::function<Picture(const Picture& picture, Index frame)>;

struct FeedVariant {
  std::string name;  // "": as they are
  std::function<PictureChange(const MediaSample& sample)> make;
};

struct FeedOptions {
  Recipe recipe;
  Index batch = 8;                     // inputs that go through the network together
  std::vector<FeedVariant> variants;   // each sees every clip
  std::function<bool(Index)> thumbed;  // whether the sample of this number has a thumbnail
};

// Samples that are worked on together: one after another, always the same, so that the batches, and
// with them the last bits of the features, do not depend on who works on what else.
struct MediaUnit {
  Index first = 0, count = 0;  // samples
};

// The parts of one video, or up to 32 pictures.
std::vector<MediaUnit> media_units(const MediaList& media);

struct FeedEvent {
  enum class Kind { batch, sample_done, sample_failed, unit_done };

  struct Input {
    Index sample = 0, variant = 0;
  };

  Kind kind = Kind::unit_done;
  // batch: inputs one after another, `crops` of them for each entry of `of`.
  std::vector<float> inputs = {};
  ClipShape shape = {};
  std::vector<Input> of = {};
  // sample_done, sample_failed. All batches of the sample came before, unless it is a picture,
  // which may share a batch with those after it.
  Index sample = 0;
  std::string reason = {};
  std::string thumbnail = {};  // JPEG: frames side by side
  Index thumbnail_frames = 0;
};

class FrameFeed {
 public:
  // Works through the units in order. All are kept by reference.
  FrameFeed(const MediaList& media, const std::vector<MediaUnit>& units,
            const FeedOptions& options);
  ~FrameFeed();
  FrameFeed(const FrameFeed&) = delete;
  FrameFeed& operator=(const FrameFeed&) = delete;

  // The next event; waits for it. After the last unit's unit_done it must not be called.
  FeedEvent next();

 private:
  struct Stopped {};

  void work();
  void do_unit(const MediaUnit& unit);
  void do_sample(Index number);
  void add_clip(Index number, const std::vector<Picture>& frames, Index variant);
  void flush();
  void give(FeedEvent event);

  const MediaList& media_;
  const std::vector<MediaUnit>& units_;
  const FeedOptions& options_;
  FeedEvent batch_{.kind = FeedEvent::Kind::batch};
  std::unique_ptr<VideoReader> reader_;  // of the unit's video, once a sample has needed it

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<FeedEvent> ready_;
  Index waiting_batches_ = 0;
  bool stop_ = false;
  std::exception_ptr problem_;
  std::thread thread_;
};

}  // namespace tyto
