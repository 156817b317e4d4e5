// SPDX-License-Identifier: Apache-2.0
// From pictures and videos to a dataset of features, with a network that stays as it is.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/engine/extract/frame_feed.hpp"
#include "tyto/engine/extract/media.hpp"
#include "tyto/nn/backbone.hpp"
#include "tyto/sample/stores/mapped_store.hpp"

namespace tyto {

struct ExtractOptions {
  std::filesystem::path out;  // the dataset; work under way lies in <out>.extract
  bool per_clip = false;      // a row per clip, samples are runs; else one row, the clips' mean
  bool pixels = false;        // features are pictures: the source is "rgb"
  bool logits = false;        // class scores too, as the source "logits"
  StoredAs type = StoredAs::float32;
  Index batch = 8;
  Index shard = 0, shards = 1;
  Index thumbnails = 2000;           // at most; spread evenly over the samples
  std::vector<FeedVariant> changes;  // each gives a further source, features_<name>
};

struct ExtractOutcome {
  Index samples = 0, rows = 0;         // of this shard
  Index found_done = 0;                // of them, before this call
  std::vector<MediaProblem> problems;  // what was skipped, of this shard
};

// Works on this shard's samples. Called again it goes on after the last unit that is whole; the
// list of samples is then that of the first call. Memory: a few batches, one video's frames in
// work.
ExtractOutcome extract_shard(const Backbone& backbone, const MediaList& media,
                             const ExtractOptions& options, Progress& progress);

struct MergedShards {
  Index samples = 0, rows = 0;
  std::vector<MediaProblem> problems;
};

// All shards of <out>.extract become the dataset `out`: the same bytes for any number of shards.
// The working folder goes. Throws Error(state) naming the shard that is missing or not at its end.
MergedShards merge_shards(const std::filesystem::path& out);

}  // namespace tyto
