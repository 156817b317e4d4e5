// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/folder_reader.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/video/natural_order.hpp"
#include "tyto/video/opencv/picture_files.hpp"
#include "tyto/video/wanted_frames.hpp"

namespace tyto {

namespace {

bool has_picture_suffix(const std::filesystem::path& path) {
  std::string suffix = path.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return suffix == ".png" || suffix == ".jpg" || suffix == ".jpeg";
}

class FolderReader final : public VideoReader {
 public:
  explicit FolderReader(const std::filesystem::path& folder) : folder_(folder) {
    std::error_code failed;
    for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      const std::string name = entry->path().filename().string();
      if (has_picture_suffix(entry->path()) && !name.starts_with('.') && entry->is_regular_file()) {
        names_.push_back(name);
      }
    }
    if (failed) {
      throw Error(ErrorKind::io, fmt::format("{}: the folder cannot be listed: {}", folder.string(),
                                             failed.message()));
    }
    if (names_.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the folder holds no PNG or JPEG pictures", folder.string()));
    }
    std::sort(names_.begin(), names_.end(), natural_less);
    const Picture first = load_picture(folder / names_.front());
    facts_ = {.frames = std::ssize(names_), .width = first.width, .height = first.height};
  }

  [[nodiscard]] const VideoFacts& facts() const override { return facts_; }

  void read(std::span<const Index> wanted,
            const std::function<void(Index frame, const Picture& picture)>& take) override {
    give_wanted(
        wanted, facts_.frames, folder_, [this](Index frame) { return loaded(frame); }, take);
  }

 private:
  [[nodiscard]] Picture loaded(Index frame) const {
    const std::filesystem::path path = folder_ / names_[at(frame)];
    Picture picture = load_picture(path);
    if (picture.width != facts_.width || picture.height != facts_.height) {
      throw Error(
          ErrorKind::data,
          fmt::format("{}: the picture is {} x {}, and the first of its folder {} x {}",
                      path.string(), picture.width, picture.height, facts_.width, facts_.height));
    }
    return picture;
  }

  std::filesystem::path folder_;
  std::vector<std::string> names_;
  VideoFacts facts_;
};

}  // namespace

std::unique_ptr<VideoReader> open_picture_folder(const std::filesystem::path& folder) {
  return std::make_unique<FolderReader>(folder);
}

}  // namespace tyto
