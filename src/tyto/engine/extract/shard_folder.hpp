// SPDX-License-Identifier: Apache-2.0
// The folder in which a shard of an extraction works: its list of samples, how it is made, its
// rows.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tyto/engine/extract/extract.hpp"

namespace tyto {

std::filesystem::path work_folder(const std::filesystem::path& out);
std::filesystem::path shard_folder(const std::filesystem::path& out, Index shard, Index shards);

// How the rows are made, and of what: equal in all shards of one extraction.
struct ShardSettings {
  std::string network, digest, recipe;  // the recipe as YAML
  std::vector<std::string> classes;     // columns of the logits
  std::vector<std::string> changes;
  bool per_clip = false, logits = false, pixels = false;
  StoredAs type = StoredAs::float32;
  Index batch = 8;

  bool operator==(const ShardSettings&) const = default;
};

std::string to_text(const ShardSettings& settings);
ShardSettings shard_settings(const std::filesystem::path& folder);

// Begins the folder, or finds it: the list of the first call is returned. Throws Error(state) where
// it was begun with other settings, naming the first that differs.
MediaList begin_shard(const std::filesystem::path& folder, const MediaList& media,
                      const ShardSettings& settings);

// The units of this shard: every shards-th.
std::vector<MediaUnit> units_of_shard(const MediaList& media, Index shard, Index shards);

std::filesystem::path thumbnail_file(const std::filesystem::path& folder, Index sample);

}  // namespace tyto
