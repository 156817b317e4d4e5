// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/page/filed_picture.hpp"

#include <algorithm>
#include <cctype>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

// "" where the file is too large.
std::optional<std::string> picture_file(const std::filesystem::path& folder,
                                        const std::filesystem::path& path, std::size_t most_bytes) {
  std::string kind = path.extension().string();
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool inside = path.is_relative() && *path.lexically_normal().begin() != "..";
  std::error_code problem;
  const auto size = std::filesystem::file_size(folder / path, problem);
  if (!inside || (kind != ".png" && kind != ".jpg" && kind != ".jpeg") || problem) {
    return std::nullopt;
  }
  return size > most_bytes ? "" : read_file(folder / path);
}

// Thumbnails of videos are strips of frames; how many, the dataset says beside them.
Index strip_frames(const std::string& text) {
  const auto frames = number_in<Index>(text);
  return frames && *frames > 0 ? *frames : 1;
}

}  // namespace

std::optional<SamplePicture> filed_picture(const std::filesystem::path& folder,
                                           const PicturePaths& paths, std::size_t most_bytes) {
  std::optional<SamplePicture> found;
  for (const std::string* path : {&paths.thumbnail, &paths.media}) {
    auto bytes =
        path->empty() || folder.empty() ? std::nullopt : picture_file(folder, *path, most_bytes);
    if (bytes && (!found || found->bytes.empty())) {
      const bool is_strip = path == &paths.thumbnail;
      found = {std::move(*bytes), is_strip ? strip_frames(paths.thumbnail_frames) : 1, false};
    }
  }
  return found;
}

}  // namespace tyto
