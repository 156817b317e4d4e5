// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/extract/frame_feed.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/engine/extract/thumbnail.hpp"
#include "tyto/video/module.hpp"
#include "tyto/video/prepare.hpp"
#include "tyto/video/sampling.hpp"

namespace tyto {

namespace {

constexpr Index kPicturesTogether = 32;
constexpr Index kBatchesAhead = 3;

using SharedPicture = std::shared_ptr<const Picture>;

// The clips of a video while its frames come by: a frame is kept as long as a clip wants it.
class ClipsInWork {
 public:
  using Done = std::function<void(std::size_t clip, const std::vector<SharedPicture>& frames)>;

  explicit ClipsInWork(const std::vector<ClipFrames>& clips) : clips_(clips), held_(clips.size()) {
    for (std::size_t c = 0; c < clips.size(); ++c) {
      for (const Index frame : clips[c]) {
        wanted_by_[frame].insert(c);
      }
    }
  }

  [[nodiscard]] std::vector<Index> wanted() const {
    std::vector<Index> out;
    for (const auto& [frame, who] : wanted_by_) {
      out.push_back(frame);
    }
    return out;
  }

  // Clips are done in their order, since their last frames never descend.
  void take(Index frame, const Picture& picture, const Done& done) {
    const auto shared = std::make_shared<const Picture>(picture);
    for (const std::size_t c : wanted_by_.at(frame)) {
      auto& held = held_[c];
      while (held.size() < clips_[c].size() && clips_[c][held.size()] == frame) {
        held.push_back(shared);  // a frame may come several times in a clip
      }
      if (held.size() == clips_[c].size()) {
        done(c, held);
        held.clear();
        held.shrink_to_fit();
      }
    }
  }

 private:
  const std::vector<ClipFrames>& clips_;
  std::map<Index, std::set<std::size_t>> wanted_by_;
  std::vector<std::vector<SharedPicture>> held_;
};

std::vector<Picture> changed(const std::vector<SharedPicture>& frames, const ClipFrames& numbers,
                             const PictureChange& change) {
  std::vector<Picture> out;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    out.push_back(change ? change(*frames[i], numbers[i]) : *frames[i]);
  }
  return out;
}

}  // namespace

std::vector<MediaUnit> media_units(const MediaList& media) {
  std::vector<MediaUnit> out;
  for (Index i = 0; i < static_cast<Index>(media.samples.size()); ++i) {
    const MediaSample& sample = media.samples[at(i)];
    const MediaSample* before = i == 0 ? nullptr : &media.samples[at(i - 1)];
    const bool together =
        before != nullptr && before->moving == sample.moving &&
        (sample.moving ? before->path == sample.path : out.back().count < kPicturesTogether);
    if (together) {
      ++out.back().count;
    } else {
      out.push_back({i, 1});
    }
  }
  return out;
}

FrameFeed::FrameFeed(const MediaList& media, const std::vector<MediaUnit>& units,
                     const FeedOptions& options)
    : media_(media), units_(units), options_(options), thread_([this] { work(); }) {}

FrameFeed::~FrameFeed() {
  {
    const std::lock_guard guard(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

FeedEvent FrameFeed::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ready_.empty() || problem_; });
  if (ready_.empty()) {
    std::rethrow_exception(problem_);
  }
  FeedEvent event = std::move(ready_.front());
  ready_.pop_front();
  waiting_batches_ -= event.kind == FeedEvent::Kind::batch ? 1 : 0;
  lock.unlock();
  changed_.notify_all();
  return event;
}

void FrameFeed::give(FeedEvent event) {
  const bool batch = event.kind == FeedEvent::Kind::batch;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stop_ || !batch || waiting_batches_ < kBatchesAhead; });
  if (stop_) {
    throw Stopped();
  }
  waiting_batches_ += batch ? 1 : 0;
  ready_.push_back(std::move(event));
  lock.unlock();
  changed_.notify_all();
}

void FrameFeed::work() {
  try {
    for (const MediaUnit& unit : units_) {
      do_unit(unit);
    }
  } catch (const Stopped&) {
    // Nobody listens any more.
  } catch (...) {
    const std::lock_guard guard(mutex_);
    problem_ = std::current_exception();
  }
  changed_.notify_all();
}

void FrameFeed::do_unit(const MediaUnit& unit) {
  reader_.reset();
  for (Index i = unit.first; i < unit.first + unit.count; ++i) {
    try {
      do_sample(i);
    } catch (const Error& problem) {
      reader_.reset();
      // Of a video the batch under way is its own; pictures before this one stay in theirs.
      if (media_.samples[at(i)].moving) {
        batch_ = {.kind = FeedEvent::Kind::batch};
      }
      give({.kind = FeedEvent::Kind::sample_failed, .sample = i, .reason = problem.what()});
    }
  }
  flush();
  give({.kind = FeedEvent::Kind::unit_done});
}

void FrameFeed::do_sample(Index number) {
  const MediaSample& sample = media_.samples[at(number)];
  std::vector<PictureChange> changes;
  for (const FeedVariant& variant : options_.variants) {
    changes.push_back(variant.make ? variant.make(sample) : PictureChange());
  }
  FeedEvent done{.kind = FeedEvent::Kind::sample_done, .sample = number};
  ThumbnailStrip strip;
  const bool thumbed = options_.thumbed && options_.thumbed(number);
  const auto add = [&](const ClipFrames& numbers, const std::vector<SharedPicture>& frames) {
    for (std::size_t v = 0; v < changes.size(); ++v) {
      add_clip(number, changed(frames, numbers, changes[v]), static_cast<Index>(v));
    }
  };
  if (!sample.moving) {
    const auto picture = std::make_shared<const Picture>(video_module().read_picture(sample.path));
    if (thumbed) {
      strip.add(*picture);
    }
    const auto frames = static_cast<std::size_t>(options_.recipe.frames);
    add(ClipFrames(frames, 0), std::vector<SharedPicture>(frames, picture));
  } else {
    if (!reader_) {
      reader_ = video_module().open_video(sample.path);
    }
    const VideoFacts& facts = reader_->facts();
    const auto [first, end] = frames_of(sample, facts.frames, facts.fps);
    if (end <= first) {
      throw Error(
          ErrorKind::data,
          fmt::format("{}: there is no frame from {} to {}; the video has {} frames, {:.3f} "
                      "a second",
                      sample.path.string(), first, end, facts.frames, facts.fps));
    }
    std::vector<ClipFrames> clips = sampled_clips(options_.recipe, end - first, facts.fps);
    std::set<Index> shown;
    for (ClipFrames& clip : clips) {
      for (Index& frame : clip) {
        frame += first;
      }
    }
    if (thumbed) {
      std::set<Index> all;
      for (const ClipFrames& clip : clips) {
        all.insert(clip.begin(), clip.end());
      }
      shown = ThumbnailStrip::spread(all);
    }
    ClipsInWork work(clips);
    const std::vector<Index> wanted = work.wanted();
    reader_->read(wanted, [&](Index frame, const Picture& picture) {
      if (shown.contains(frame)) {
        strip.add(picture);
      }
      work.take(frame, picture, [&](std::size_t clip, const std::vector<SharedPicture>& frames) {
        add(clips[clip], frames);
      });
    });
    flush();
  }
  if (thumbed) {
    done.thumbnail = strip.jpeg();
    done.thumbnail_frames = strip.frames();
  }
  give(std::move(done));
}

void FrameFeed::add_clip(Index number, const std::vector<Picture>& frames, Index variant) {
  const Picture& first = frames.front();
  for (const Picture& frame : frames) {
    if (frame.width != first.width || frame.height != first.height) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: its frames differ in size: {} x {} and {} x {}",
                              media_.samples[at(number)].path.string(), first.width, first.height,
                              frame.width, frame.height));
    }
  }
  const ClipShape shape = input_shape(options_.recipe, first.width, first.height);
  if (!batch_.of.empty() && !(batch_.shape == shape)) {
    flush();
  }
  batch_.shape = shape;
  prepare_clip(options_.recipe, frames, batch_.inputs);
  batch_.of.push_back({number, variant});
  if (static_cast<Index>(batch_.of.size()) >= options_.batch) {
    flush();
  }
}

void FrameFeed::flush() {
  if (!batch_.of.empty()) {
    FeedEvent full = std::move(batch_);
    batch_ = {.kind = FeedEvent::Kind::batch};
    give(std::move(full));
  }
}

}  // namespace tyto
