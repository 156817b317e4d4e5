// SPDX-License-Identifier: Apache-2.0
// Lists of videos as their authors publish them, in several splits, and features made by them
// elsewhere.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/data/dataset.hpp"

namespace tyto {

// One that may stand in the list of every split.
struct ListedVideo {
  std::string id, label, group;
  std::string video;           // file, relative to where the videos lie
  double start = 0, end = -1;  // frames [start, end) of it; end -1: all

  bool operator==(const ListedVideo&) const = default;
};

class OfficialList {
 public:
  explicit OfficialList(std::vector<std::string> splits) : splits_(std::move(splits)) {}

  // `word` is what the list of that split says: train, val, test, or "" for a video it leaves out.
  // Throws Error(data) beginning with `place` for any other word, a video that stands in one split
  // twice and one that was told differently before.
  void add(const ListedVideo& video, std::size_t split, std::string_view word,
           std::string_view place);

  [[nodiscard]] bool empty() const { return videos_.empty(); }

  // In the order of adding; the splits are annotations, those that no list told of are left out.
  [[nodiscard]] IndexTable table() const;

 private:
  std::vector<std::string> splits_;
  std::vector<ListedVideo> videos_;
  std::vector<std::vector<std::string>> words_;  // by video and split
  std::map<std::string, std::size_t, std::less<>> place_of_;
};

// The lines of a text file, without blanks at their ends; empty ones are left out.
std::vector<std::string> lines_of(const std::filesystem::path& path);

// The list with the features in `folder`/features_<variant>, or `folder`/features where there is
// none: a dataset that has the list's ids. `variant` is the split that counts. What has no features
// is left out, and `about` says so. Groups that the split tears are divided, one to a side.
Dataset with_features(const IndexTable& list, const std::filesystem::path& folder,
                      std::string_view importer, std::string_view variant);

}  // namespace tyto
