// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/extract/media.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

constexpr std::array kPictureSuffixes{".png", ".jpg", ".jpeg"};
constexpr std::array kVideoSuffixes{".avi", ".mp4",  ".mkv", ".webm", ".mov", ".m4v",
                                    ".mpg", ".mpeg", ".wmv", ".flv",  ".gif", ".ts",
                                    ".3gp", ".ogv",  ".mts", ".vob"};
constexpr Index kLeastFrames = 2;  // numbered pictures that are a video

template <std::size_t N>
bool has_suffix(const fs::path& path, const std::array<const char*, N>& suffixes) {
  std::string suffix = path.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(suffixes.begin(), suffixes.end(), suffix) != suffixes.end();
}

std::string split_word_of(std::string_view folder) {
  if (folder == "train" || folder == "training") {
    return "train";
  }
  if (folder == "val" || folder == "validate" || folder == "validation") {
    return "validate";
  }
  return folder == "test" || folder == "testing" ? "test" : "";
}

// The name without its last number: what frames of one video share.
std::string without_number(const fs::path& file) {
  std::string stem = file.stem().string();
  const auto end = stem.find_last_of("0123456789");
  if (end == stem.npos) {
    return "";
  }
  const auto before = stem.find_last_not_of("0123456789", end);
  const std::size_t begin = before == stem.npos ? 0 : before + 1;
  return stem.substr(0, begin) + "#" + stem.substr(end + 1);
}

bool are_numbered(const std::vector<fs::path>& pictures) {
  if (static_cast<Index>(pictures.size()) < kLeastFrames) {
    return false;
  }
  const std::string first = without_number(pictures.front());
  return !first.empty() && std::all_of(pictures.begin(), pictures.end(), [&](const fs::path& file) {
    return without_number(file) == first;
  });
}

class MediaSearch {
 public:
  explicit MediaSearch(const MediaOptions& options) : options_(options) {}

  void add_file(const fs::path& file, const fs::path& name) {
    const bool picture = has_suffix(file, kPictureSuffixes);
    add(file, fs::path(name).replace_extension(), !picture);
  }

  // Entries by name, so that the list does not depend on the order of the disk.
  void add_folder(const fs::path& folder, const fs::path& name) {
    std::vector<fs::path> pictures, videos, folders;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const fs::path& path = entry.path();
      if (path.filename().string().starts_with('.')) {
        continue;
      }
      if (entry.is_directory()) {
        folders.push_back(path);
      } else if (has_suffix(path, kPictureSuffixes)) {
        pictures.push_back(path);
      } else if (has_suffix(path, kVideoSuffixes)) {
        videos.push_back(path);
      } else {
        ++list_.ignored;
      }
    }
    for (auto* paths : {&pictures, &videos, &folders}) {
      std::sort(paths->begin(), paths->end());
    }
    if (!options_.single_pictures && are_numbered(pictures)) {
      add(folder, name.empty() ? folder.filename() : name, true);
    } else {
      for (const fs::path& file : pictures) {
        add_file(file, name / file.filename());
      }
    }
    for (const fs::path& file : videos) {
      add_file(file, name / file.filename());
    }
    for (const fs::path& inner : folders) {
      add_folder(inner, name / inner.filename());
    }
  }

  MediaList take() {
    std::sort(list_.samples.begin(), list_.samples.end(),
              [](const MediaSample& a, const MediaSample& b) { return a.id < b.id; });
    for (std::size_t i = 1; i < list_.samples.size(); ++i) {
      const MediaSample &a = list_.samples[i - 1], &b = list_.samples[i];
      if (a.id == b.id) {
        throw Error(ErrorKind::data,
                    fmt::format("{} and {} would both be called \"{}\"; rename one",
                                a.path.string(), b.path.string(), a.id));
      }
    }
    return std::move(list_);
  }

 private:
  void add(const fs::path& path, const fs::path& name, bool moving) {
    MediaSample sample;
    sample.id = name.generic_string();
    sample.path = path;
    sample.moving = moving;
    const std::vector<fs::path> parts(name.begin(), name.end());
    std::size_t at_part = 0;
    if (parts.size() > 1) {
      sample.split = split_word_of(parts[0].string());
      at_part = sample.split.empty() ? 0 : 1;
    }
    if (parts.size() > at_part + 1) {
      sample.label = parts[at_part].string();
    }
    list_.samples.push_back(std::move(sample));
  }

  MediaOptions options_;
  MediaList list_;
};

}  // namespace

MediaList find_media(const std::vector<fs::path>& sources, const MediaOptions& options) {
  MediaSearch search(options);
  for (const fs::path& given : sources) {
    const fs::path source = given.has_filename() ? given : given.parent_path();
    if (fs::is_directory(source)) {
      search.add_folder(source, "");
    } else if (fs::exists(source)) {
      search.add_file(source, source.filename());
    } else {
      throw Error(ErrorKind::io,
                  fmt::format("{}: there is no such file or folder", given.string()));
    }
  }
  return search.take();
}

std::pair<Index, Index> frames_of(const MediaSample& sample, Index n, double fps) {
  const auto frame_at = [&](double second) {
    return static_cast<Index>(std::nearbyint(second * fps));  // halves to even
  };
  Index first = sample.first_frame >= 0 ? sample.first_frame : 0;
  Index end = sample.end_frame >= 0 ? sample.end_frame : n;
  if (!std::isnan(sample.start)) {
    first = frame_at(sample.start);
  }
  if (!std::isnan(sample.end)) {
    end = frame_at(sample.end);
  }
  first = std::max<Index>(first, 0);
  return {first, std::min(end, n)};
}

}  // namespace tyto
