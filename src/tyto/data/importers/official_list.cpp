// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/importers/official_list.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/data/join.hpp"
#include "tyto/data/split_word.hpp"
#include "tyto/sample/stores/picked_store.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSeenUnused = "-";  // in a list, but on no side

Dataset load_features(const fs::path& folder, std::string_view importer, std::string_view variant) {
  const fs::path own = folder / fmt::format("features_{}", variant);
  const fs::path shared = folder / "features";
  for (const fs::path& place : {own, shared}) {
    if (fs::is_regular_file(place / kDescriptorName)) {
      return load_dataset(place);
    }
  }
  throw Error(ErrorKind::io,
              fmt::format("{}: neither features_{} nor features in it is a dataset; `tyto data "
                          "lists {} {}` writes the list to extract features by",
                          folder.string(), variant, importer, folder.string()));
}

// Rows of the store of these samples, whose frames lie one behind the other.
std::vector<Index> store_rows(const IndexTable& table, const std::vector<Index>& samples) {
  std::vector<Index> first{0};
  for (Index i = 0; i < table.size(); ++i) {
    first.push_back(first.back() +
                    (table.frames.empty() ? 1 : table.frames[static_cast<std::size_t>(i)]));
  }
  std::vector<Index> rows;
  for (const Index sample : samples) {
    for (Index row = first[static_cast<std::size_t>(sample)];
         row < first[static_cast<std::size_t>(sample) + 1]; ++row) {
      rows.push_back(row);
    }
  }
  return rows;
}

// "" where none is torn, else a sentence. A world refuses groups on both sides of a split.
std::string divide_torn_groups(IndexTable& table) {
  std::map<std::string, std::set<std::string>> sides;
  for (std::size_t i = 0; i < table.id.size(); ++i) {
    if (!table.split[i].empty()) {
      sides[table.group[i]].insert(table.split[i]);
    }
  }
  std::string first;
  std::size_t torn = 0;
  for (const auto& [group, both] : sides) {
    if (both.size() > 1) {
      first = torn++ == 0 ? group : first;
    }
  }
  if (torn == 0) {
    return "";
  }
  for (std::size_t i = 0; i < table.id.size(); ++i) {
    const auto found = sides.find(table.group[i]);
    if (found != sides.end() && found->second.size() > 1) {
      table.group[i] += fmt::format(" ({})", table.split[i]);
    }
  }
  return fmt::format(
      "the official split has {} on both sides, so that each side "
      "counts as a group of its own: {}{}",
      torn == 1 ? "one group" : fmt::format("{} groups", torn), first, torn == 1 ? "" : ", ...");
}

}  // namespace

void OfficialList::add(const ListedVideo& video, std::size_t split, std::string_view word,
                       std::string_view place) {
  const std::string_view side = word.empty() ? kSeenUnused : canonical_split(word);
  if (side.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: the split \"{}\" is none of train, val, test", place, word));
  }
  const auto [entry, is_new] = place_of_.try_emplace(video.id, videos_.size());
  if (is_new) {
    videos_.push_back(video);
    words_.emplace_back(splits_.size());
  } else if (videos_[entry->second] != video) {
    throw Error(ErrorKind::data,
                fmt::format("{}: {} is {} of {} here, but {} of {} in another list, or in other "
                            "frames",
                            place, video.id, video.label, video.video, videos_[entry->second].label,
                            videos_[entry->second].video));
  }
  std::string& told = words_[entry->second][split];
  if (!told.empty()) {
    throw Error(ErrorKind::data, fmt::format("{}: {} stands in the lists of {} twice", place,
                                             video.id, splits_[split]));
  }
  told = side;
}

IndexTable OfficialList::table() const {
  IndexTable table;
  for (const ListedVideo& video : videos_) {
    table.id.push_back(video.id);
    table.label.push_back(video.label);
    table.group.push_back(video.group);
    table.source.push_back(video.video);
    if (video.end >= 0) {
      table.start.push_back(video.start);
      table.end.push_back(video.end);
    }
  }
  for (std::size_t split = 0; split < splits_.size(); ++split) {
    std::vector<std::string> words;
    bool is_told = false;
    for (const auto& of_video : words_) {
      is_told = is_told || !of_video[split].empty();
      words.push_back(of_video[split] == kSeenUnused ? "" : of_video[split]);
    }
    if (is_told) {
      table.annotations[splits_[split]] = std::move(words);
    }
  }
  return table;
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  const std::string text = read_file(path);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (!line.empty()) {
      lines.push_back(std::move(line));
    }
    begin = end + 1;
  }
  return lines;
}

Dataset with_features(const IndexTable& list, const fs::path& folder, std::string_view importer,
                      std::string_view variant) {
  const auto split = list.annotations.find(std::string(variant));
  if (split == list.annotations.end()) {
    throw Error(ErrorKind::data, fmt::format("{}: has no lists of {}", folder.string(), variant));
  }
  Dataset features = load_features(folder, importer, variant);
  const IdJoin join =
      join_by_id(list.id, features.table.id, features.files.folder.string(), Lost::leave_out);
  Dataset dataset;
  dataset.name = fmt::format("{}_{}", importer, variant);
  dataset.about = features.about;  // of the network
  dataset.about["features"] = features.summary;
  if (!join.note.empty()) {
    dataset.about["left out"] = join.note;
  }
  dataset.table = picked_rows(list, join.sample);
  dataset.table.split = dataset.table.annotations.at(std::string(variant));
  if (!features.table.frames.empty()) {
    for (const Index sample : join.feature) {
      dataset.table.frames.push_back(features.table.frames[static_cast<std::size_t>(sample)]);
    }
  }
  if (std::string torn = divide_torn_groups(dataset.table); !torn.empty()) {
    dataset.about["groups"] = std::move(torn);
  }
  dataset.store =
      std::make_shared<PickedStore>(features.store, store_rows(features.table, join.feature));
  return dataset;
}

}  // namespace tyto
