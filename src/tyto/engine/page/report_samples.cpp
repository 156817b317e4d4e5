// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/page/report_samples.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/engine/page/drawn_picture.hpp"
#include "tyto/engine/page/filed_picture.hpp"
#include "tyto/engine/page/patch_heat.hpp"
#include "tyto/engine/page/remembered.hpp"
#include "tyto/engine/use/model.hpp"
#include "tyto/sample/store_access.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {

namespace {

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
      if (auto filed = picture_beside(*dataset, wish)) {
        return filed;
      }
    }
    if (!dataset->layout) {
      return wish.arm.empty() ? std::nullopt : picture_beside(*dataset, wish);
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

  std::vector<std::optional<PictureHeat>> heat(std::string_view arm,
                                               std::span<const SampleId> wanted) {
    const Composition* predictor = patch_detector(arm);
    if (predictor == nullptr) {
      return {};
    }
    load();
    std::vector<std::optional<PictureHeat>> all;
    for (const SampleId sample : wanted) {
      const std::optional<Samples> one = dealt({.sample = sample});
      all.push_back(one && one->frame_count(0) == 1 ? patch_heat(*predictor, *one) : std::nullopt);
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
    world_ =
        build_world(experiment_.world, "world", std::move(datasets), experiment_.seed_of_world());
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

  [[nodiscard]] std::optional<SamplePicture> picture_beside(const Pictured& dataset,
                                                            const PictureWish& wish) const {
    return filed_picture(
        dataset.folder,
        {annotation("thumbnail", wish.sample), annotation("thumbnail_frames", wish.sample),
         annotation("media", wish.sample)},
        wish.most_bytes);
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
      if (names_[s] == wish.split) {
        for (Index i = 0; i < splits_[s].size(); ++i) {
          if (splits_[s].id(i) == wish.sample) {
            return splits_[s].slice(i, 1);
          }
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

  // As it is after its last commit; null where the detector of the arm looks at no patches.
  const Composition* patch_detector(std::string_view arm) {
    const auto [found, is_new] = detectors_.try_emplace(std::string(arm));
    if (is_new && looks_at_patches(experiment_, arm)) {
      found->second =
          load_model(folder_.path().string(), {std::string(arm), std::nullopt}, catalog_).predictor;
    }
    return found->second.get();
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
  std::vector<std::string> names_;                                 // of the splits
  std::map<std::string, Remembered> memories_;                     // by arm
  std::map<std::string, std::unique_ptr<Composition>> detectors_;  // by arm; null: of no patches
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
      [samples](std::string_view arm, std::span<const SampleId> wanted) {
        return samples->heat(arm, wanted);
      },
  };
}

}  // namespace tyto
