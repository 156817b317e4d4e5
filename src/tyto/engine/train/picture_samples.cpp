// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/train/picture_samples.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr const char* kPictureSource = "rgb";

}  // namespace

PictureSamples::PictureSamples(const Dataset& dataset, double validation, const Rng& rng)
    : dataset_(dataset) {
  const std::vector<std::string> sources = dataset.store->sources();
  if (std::find(sources.begin(), sources.end(), kPictureSource) == sources.end()) {
    throw Error(
        ErrorKind::data,
        fmt::format("{} has no source \"rgb\"; make pictures of a folder with: tyto extract "
                    "FOLDER --pixels 32 --out DATASET",
                    dataset.name));
  }
  const std::vector<Index> shape = dataset.store->shape(kPictureSource);
  if (shape.size() != 3 || shape[0] != 3) {
    throw Error(
        ErrorKind::data,
        fmt::format("the source \"rgb\" of {} is not of shape [3, height, width]", dataset.name));
  }
  height_ = shape[1];
  width_ = shape[2];
  const IndexTable& table = dataset.table;
  std::set<std::string> names(table.label.begin(), table.label.end());
  names.erase("");
  classes_.assign(names.begin(), names.end());
  if (classes_.size() < 2) {
    throw Error(ErrorKind::data, fmt::format("{} has {} classes with samples; to learn takes two",
                                             dataset.name, classes_.size()));
  }
  std::set<std::string> held;  // groups, or samples where there are none
  const auto group_of = [&](std::size_t i) {
    return table.group.empty() || table.group[i].empty() ? table.id[i] : table.group[i];
  };
  const bool splits =
      std::find(table.split.begin(), table.split.end(), "validate") != table.split.end();
  first_.push_back(0);
  for (std::size_t i = 0; i < table.id.size(); ++i) {
    first_.push_back(first_.back() + (table.frames.empty() ? 1 : table.frames[i]));
    const auto it = std::lower_bound(classes_.begin(), classes_.end(), table.label[i]);
    target_.push_back(table.label[i].empty() ? -1 : it - classes_.begin());
    if (target_.back() < 0) {
      continue;
    }
    const auto sample = static_cast<Index>(i);
    const std::string split = table.split.empty() ? "train" : table.split[i];
    const bool drawn = !splits && split == "train" && rng.fork(group_of(i)).uniform() < validation;
    if (split == "validate" || drawn) {
      validation_.push_back(sample);
    } else if (split == "train") {
      train_.push_back(sample);
    } else if (split == "test") {
      test_.push_back(sample);
    }
  }
  std::set<std::int64_t> taught;
  for (const Index sample : train_) {
    taught.insert(target_[at(sample)]);
  }
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (!taught.contains(static_cast<std::int64_t>(c))) {
      throw Error(ErrorKind::data,
                  fmt::format("the class \"{}\" of {} has no sample to learn from; hold out less",
                              classes_[c], dataset.name));
    }
  }
}

Matrix PictureSamples::rows(const std::vector<Index>& samples,
                            const std::vector<std::vector<Index>>& chosen) const {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (const Index frame : chosen[i]) {
      rows.push_back(first_[at(samples[i])] + frame);
    }
  }
  Matrix out(static_cast<Index>(rows.size()), 3 * height_ * width_);
  dataset_.store->gather(kPictureSource, rows, out);
  return out;
}

}  // namespace tyto
