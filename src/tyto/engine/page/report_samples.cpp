// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/page/report_samples.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/engine/page/drawn_picture.hpp"
#include "tyto/engine/page/remembered.hpp"
#include "tyto/sample/store_access.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {

namespace {

// Below the folder of the dataset, of a kind a browser shows; none if it is not there.
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

// Samples under a nuisance, or in memory, may come without their pictures.
bool has_source(const Samples& samples, const std::string& source) {
  const auto sources = StoreAccess::store(samples)->sources();
  return std::find(sources.begin(), sources.end(), source) != sources.end();
}

// Every sample a world deals, by the id it has in the record.
class DealtSamples {
 public:
  DealtSamples(const Experiment& experiment, const Catalog& catalog, RunFolder folder)
      : experiment_(experiment), catalog_(catalog), folder_(std::move(folder)) {}

  std::optional<SamplePicture> picture(const PictureWish& wish) {
    load();
    const Pictured* dataset = dataset_of(wish.sample);
    if (dataset == nullptr) {
      return std::nullopt;
    }
    // A sample that is shown changed, or thinned, is no longer what its file shows.
    if (wish.split.empty() && wish.arm.empty()) {
      if (auto filed = filed_picture(*dataset, wish)) {
        return filed;
      }
    }
    if (!dataset->layout) {
      return wish.arm.empty() ? std::nullopt : filed_picture(*dataset, wish);
    }
    const std::optional<Samples> one = wish.arm.empty() ? dealt(wish) : remembered(wish);
    if (!one || !has_source(*one, dataset->layout->source)) {
      return std::nullopt;
    }
    return drawn_picture(one->frame_rows(dataset->layout->source), *dataset->layout,
                         wish.most_bytes);
  }

  std::vector<KeptSample> kept(std::string_view arm) {
    load();
    const Remembered& memory = memory_of(arm);
    std::vector<KeptSample> all;
    for (Index i = 0; i < memory.samples.size(); ++i) {
      all.push_back({memory.samples.id(i), memory.labels[static_cast<std::size_t>(i)],
                     memory.samples.frame_count(i)});
    }
    return all;
  }

  Matrix features(std::span<const SampleId> wanted) {
    load();
    Matrix out(static_cast<Index>(wanted.size()), 0);
    // Split by split, as each is gathered from the store in one go.
    std::vector<std::vector<Index>> rows(splits_.size()), places(splits_.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto found = place_.find(wanted[i]);
      if (found == place_.end()) {
        throw Error(ErrorKind::data, fmt::format("sample {} is not in the world of the run",
                                                 static_cast<std::uint32_t>(wanted[i])));
      }
      rows[found->second.first].push_back(found->second.second);
      places[found->second.first].push_back(static_cast<Index>(i));
    }
    for (std::size_t s = 0; s < splits_.size(); ++s) {
      if (rows[s].empty()) {
        continue;
      }
      const Matrix some = splits_[s].pick(rows[s]).rows();
      if (out.cols() == 0) {
        out.resize(out.rows(), some.cols());
      }
      for (Index i = 0; i < some.rows(); ++i) {
        out.row(places[s][static_cast<std::size_t>(i)]) = some.row(i);
      }
    }
    return out;
  }

 private:
  void load() {
    if (world_ != nullptr) {
      return;
    }
    std::vector<Dataset> datasets;
    for (const std::string& name : experiment_.data) {
      datasets.push_back(catalog_.load(name));
      const Dataset& last = datasets.back();
      pictured_.push_back({last.name, last.files.folder, last.picture});
    }
    world_ = build_world(experiment_.world, "world", std::move(datasets), experiment_.seed);
    if (pictured_.empty()) {  // a simulated world
      pictured_.push_back({"", {}, world_->picture()});
    }
    const std::unique_ptr<World> dealer = world_->make_world({});
    while (dealer->advance()) {
      for (const Split& split : dealer->deal().splits) {
        for (Index i = 0; i < split.samples.size(); ++i) {
          place_.try_emplace(split.samples.id(i), splits_.size(), i);
        }
        splits_.push_back(split.samples);
        names_.push_back(split.name);
      }
    }
  }

  struct Pictured {  // what is left of a dataset when the world has it
    std::string name;
    std::filesystem::path folder;
    std::optional<PictureLayout> layout;
  };

  // Null: a world that does not tell.
  [[nodiscard]] const Pictured* dataset_of(SampleId sample) const {
    if (world_->truth() == nullptr) {
      return nullptr;
    }
    const auto& annotations = world_->truth()->annotations;
    const auto origin = annotations.find("dataset");
    if (pictured_.size() == 1) {
      return &pictured_.front();
    }
    for (const Pictured& one : pictured_) {
      if (origin != annotations.end() &&
          origin->second.at(static_cast<std::size_t>(sample)) == one.name) {
        return &one;
      }
    }
    return nullptr;
  }

  [[nodiscard]] std::string annotation(const char* column, SampleId sample) const {
    const auto& annotations = world_->truth()->annotations;
    const auto found = annotations.find(column);
    return found == annotations.end() ? "" : found->second.at(static_cast<std::size_t>(sample));
  }

  // A thumbnail is made to be shown; media may be the video itself, or too large.
  [[nodiscard]] std::optional<SamplePicture> filed_picture(const Pictured& dataset,
                                                           const PictureWish& wish) const {
    std::optional<SamplePicture> found;
    for (const char* column : {"thumbnail", "media"}) {
      const std::string path = annotation(column, wish.sample);
      auto bytes = path.empty() || dataset.folder.empty()
                       ? std::nullopt
                       : picture_file(dataset.folder, path, wish.most_bytes);
      if (bytes && (!found || found->bytes.empty())) {
        const bool is_strip = column == std::string_view("thumbnail");
        found = {std::move(*bytes),
                 is_strip ? strip_frames(annotation("thumbnail_frames", wish.sample)) : 1, false};
      }
    }
    return found;
  }

  // The sample as it was dealt, in that split where one is named.
  [[nodiscard]] std::optional<Samples> dealt(const PictureWish& wish) const {
    if (wish.split.empty()) {
      const auto found = place_.find(wish.sample);
      return found == place_.end()
                 ? std::nullopt
                 : std::optional(splits_[found->second.first].slice(found->second.second, 1));
    }
    for (std::size_t s = 0; s < splits_.size(); ++s) {
      for (Index i = 0; names_[s] == wish.split && i < splits_[s].size(); ++i) {
        if (splits_[s].id(i) == wish.sample) {
          return splits_[s].slice(i, 1);
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Samples> remembered(const PictureWish& wish) {
    const Samples& all = memory_of(wish.arm).samples;
    for (Index i = 0; i < all.size(); ++i) {
      if (all.id(i) == wish.sample) {
        return all.slice(i, 1);
      }
    }
    return std::nullopt;
  }

  const Remembered& memory_of(std::string_view arm) {
    const auto [found, is_new] = memories_.try_emplace(std::string(arm));
    if (is_new) {
      found->second = remembered_by(folder_, arm, StoreShelf(world_->stores()));
    }
    return found->second;
  }

  Experiment experiment_;
  Catalog catalog_;
  RunFolder folder_;  // of the first seed
  std::vector<Pictured> pictured_;
  std::unique_ptr<WorldSource> world_;
  std::vector<Samples> splits_;
  std::vector<std::string> names_;              // of the splits
  std::map<std::string, Remembered> memories_;  // by arm
  std::unordered_map<SampleId, std::pair<std::size_t, Index>> place_;
};

}  // namespace

SampleData sample_data(const Experiment& experiment, const Catalog& catalog,
                       const RunFolder& folder) {
  const auto samples = std::make_shared<DealtSamples>(experiment, catalog, folder);
  return {
      [samples](std::span<const SampleId> wanted) { return samples->features(wanted); },
      [samples](const PictureWish& wish) { return samples->picture(wish); },
      [samples](std::string_view arm) { return samples->kept(arm); },
  };
}

}  // namespace tyto
