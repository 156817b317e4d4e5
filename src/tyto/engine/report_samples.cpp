// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/report_samples.hpp"

#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {

namespace {

// Every sample a world deals, by the id it has in the record.
class DealtSamples {
 public:
  DealtSamples(const Experiment& experiment, const Catalog& catalog)
      : experiment_(experiment), catalog_(catalog) {}

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

  Experiment experiment_;
  Catalog catalog_;
  std::unique_ptr<BuiltWorld> world_;
  std::vector<Samples> splits_;
  std::unordered_map<SampleId, std::pair<std::size_t, Index>> place_;
};

}  // namespace

SampleData sample_data(const Experiment& experiment, const Catalog& catalog) {
  const auto dealt = std::make_shared<DealtSamples>(experiment, catalog);
  return {[dealt](std::span<const SampleId> samples) { return dealt->features(samples); }, {}};
}

}  // namespace tyto
