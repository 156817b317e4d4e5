// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/detect/open_rows.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/engine/extract/extract.hpp"
#include "tyto/engine/extract/pixels.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

class PassingFolder {
 public:
  PassingFolder() {
    std::string pattern = (fs::temp_directory_path() / "tyto_detect_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw Error(ErrorKind::io,
                  fmt::format("{}: cannot be made: {}", pattern, std::strerror(errno)));
    }
    path = pattern;
  }

  ~PassingFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }

  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;

  fs::path path;
};

class PictureInput final : public FeatureInput {
 public:
  PictureInput(const std::string& what, const Catalog& catalog, const InputOptions& options,
               const PictureFeatures& features, Progress& progress) {
    const MediaList media = find_media({fs::path(what)}, {.single_pictures = true});
    if (media.samples.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: there are no pictures or videos; {} files are of other kinds",
                              what, media.ignored));
    }
    const auto backbone = features.backbone.network.empty()
                              ? pixel_backbone(features.pixels, ConfigNode::empty_map())
                              : open_backbone(features.backbone);
    ExtractOptions extract;
    extract.out = folder_.path / "features";
    extract.thumbnails = 0;
    const ExtractOutcome outcome = extract_shard(*backbone, media, extract, progress);
    if (!outcome.problems.empty()) {
      throw Error(ErrorKind::data, fmt::format("{}: {}: {}", what, outcome.problems.front().id,
                                               outcome.problems.front().reason));
    }
    (void)merge_shards(extract.out);
    rows_ = open_input(extract.out.string(), catalog, options);
  }

  [[nodiscard]] bool has_ids() const override { return true; }

  [[nodiscard]] InputRows next(Index most) override { return rows_->next(most); }

 private:
  PassingFolder folder_;
  std::unique_ptr<FeatureInput> rows_;  // reads files of the folder
};

}  // namespace

bool holds_pictures(const std::string& what) {
  return fs::is_directory(what) && !fs::exists(fs::path(what) / "dataset.yaml");
}

std::unique_ptr<FeatureInput> open_rows(const std::string& what, const Catalog& catalog,
                                        const InputOptions& options,
                                        const PictureFeatures& features, Progress& progress) {
  if (holds_pictures(what)) {
    return std::make_unique<PictureInput>(what, catalog, options, features, progress);
  }
  return open_input(what, catalog, options);
}

}  // namespace tyto
