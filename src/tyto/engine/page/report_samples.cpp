// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/page/report_samples.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/report/page/pictures/png.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {

namespace {

constexpr Index kPictureSide = 64;  // pixels at least, so that a browser does not blur them

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

std::string drawn_picture(const Matrix& row, const PictureLayout& layout) {
  const bool own = layout.low == layout.high;
  const double low = own ? static_cast<double>(row.minCoeff()) : layout.low;
  const double high = own ? static_cast<double>(row.maxCoeff()) : layout.high;
  std::vector<std::uint8_t> pixels;
  for (const float value : row.reshaped<Eigen::RowMajor>()) {
    const double share = high > low ? (static_cast<double>(value) - low) / (high - low) : 0.0;
    pixels.push_back(static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(share, 0.0, 1.0))));
  }
  const Index side = std::max(layout.width, layout.height);
  return grey_png(pixels, layout.width, layout.height, (kPictureSide + side - 1) / side);
}

// Every sample a world deals, by the id it has in the record.
class DealtSamples {
 public:
  DealtSamples(const Experiment& experiment, const Catalog& catalog)
      : experiment_(experiment), catalog_(catalog) {}

  std::optional<std::string> picture(SampleId sample, std::size_t most_bytes) {
    load();
    const Pictured* dataset = dataset_of(sample);
    const auto found = place_.find(sample);
    if (dataset == nullptr || found == place_.end()) {
      return std::nullopt;
    }
    const Truth& truth = *world_->truth();
    for (const char* column : {"media", "thumbnail"}) {
      const auto paths = truth.annotations.find(column);
      const std::string path = paths == truth.annotations.end()
                                   ? ""
                                   : paths->second.at(static_cast<std::size_t>(sample));
      if (!path.empty()) {
        return picture_file(dataset->folder, path, most_bytes);
      }
    }
    if (!dataset->layout) {
      return std::nullopt;
    }
    const Index row[] = {found->second.second};
    std::string drawn = drawn_picture(
        splits_[found->second.first].pick(row).rows(dataset->layout->source), *dataset->layout);
    return drawn.size() > most_bytes ? "" : drawn;
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
    const std::unique_ptr<World> dealer = world_->make_world({});
    while (dealer->advance()) {
      for (const Split& split : dealer->deal().splits) {
        for (Index i = 0; i < split.samples.size(); ++i) {
          place_.try_emplace(split.samples.id(i), splits_.size(), i);
        }
        splits_.push_back(split.samples);
      }
    }
  }

  struct Pictured {  // what is left of a dataset when the world has it
    std::string name;
    std::filesystem::path folder;
    std::optional<PictureLayout> layout;
  };

  // Null: a world without data, or one that does not tell.
  [[nodiscard]] const Pictured* dataset_of(SampleId sample) const {
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

  Experiment experiment_;
  Catalog catalog_;
  std::vector<Pictured> pictured_;
  std::unique_ptr<WorldSource> world_;
  std::vector<Samples> splits_;
  std::unordered_map<SampleId, std::pair<std::size_t, Index>> place_;
};

}  // namespace

SampleData sample_data(const Experiment& experiment, const Catalog& catalog) {
  const auto dealt = std::make_shared<DealtSamples>(experiment, catalog);
  return {[dealt](std::span<const SampleId> samples) { return dealt->features(samples); },
          [dealt](SampleId sample, std::size_t most_bytes) {
            return dealt->picture(sample, most_bytes);
          }};
}

}  // namespace tyto
