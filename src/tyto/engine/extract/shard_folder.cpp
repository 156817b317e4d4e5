// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/extract/shard_folder.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

using SettingsJson = nlohmann::ordered_json;

SettingsJson settings_json(const ShardSettings& settings) {
  return {{"network", settings.network},
          {"digest", settings.digest},
          {"recipe", settings.recipe},
          {"classes", settings.classes},
          {"changes", settings.changes},
          {"per_clip", settings.per_clip},
          {"logits", settings.logits},
          {"pixels", settings.pixels},
          {"type", std::string(to_word(settings.type))},
          {"batch", settings.batch}};
}

}  // namespace

std::filesystem::path work_folder(const std::filesystem::path& out) {
  const auto whole = std::filesystem::absolute(out / "").parent_path();
  return whole.string() + ".extract";
}

std::filesystem::path shard_folder(const std::filesystem::path& out, Index shard, Index shards) {
  return work_folder(out) / fmt::format("shard_{}_of_{}", shard, shards);
}

std::string to_text(const ShardSettings& settings) {
  return settings_json(settings).dump(2) + "\n";
}

ShardSettings shard_settings(const std::filesystem::path& folder) {
  const auto path = folder / "settings.json";
  const auto json = SettingsJson::parse(read_file(path), nullptr, false);
  if (json.is_discarded()) {
    throw Error(ErrorKind::data, fmt::format("{}: the file is damaged", path.string()));
  }
  ShardSettings out;
  out.network = json["network"];
  out.digest = json["digest"];
  out.recipe = json["recipe"];
  out.classes = json["classes"];
  out.changes = json["changes"];
  out.per_clip = json["per_clip"];
  out.logits = json["logits"];
  out.pixels = json["pixels"];
  out.type = stored_as(json["type"].get<std::string>());
  out.batch = json["batch"];
  return out;
}

MediaList begin_shard(const std::filesystem::path& folder, const MediaList& media,
                      const ShardSettings& settings) {
  const auto list = folder / "samples.csv";
  if (!std::filesystem::exists(list)) {
    make_folder(folder);
    write_file(folder / "settings.json", to_text(settings));
    write_file(list, media_csv(media));
    return media;
  }
  const ShardSettings before = shard_settings(folder);
  const SettingsJson was = settings_json(before), is = settings_json(settings);
  for (const auto& [key, value] : is.items()) {
    if (was.at(key) != value) {
      throw Error(ErrorKind::state,
                  fmt::format("{} was begun with another {}; remove it to begin anew, or choose "
                              "another --out",
                              folder.string(), key == "digest" ? "network" : key));
    }
  }
  MediaList out = media_from_csv(list);
  out.problems = media.problems;
  return out;
}

std::vector<MediaUnit> units_of_shard(const MediaList& media, Index shard, Index shards) {
  const std::vector<MediaUnit> all = media_units(media);
  std::vector<MediaUnit> out;
  for (std::size_t u = at(shard); u < all.size(); u += at(shards)) {
    out.push_back(all[u]);
  }
  return out;
}

std::filesystem::path thumbnail_file(const std::filesystem::path& folder, Index sample) {
  return folder / "thumbnails" / fmt::format("{:06}.jpg", sample);
}

}  // namespace tyto
