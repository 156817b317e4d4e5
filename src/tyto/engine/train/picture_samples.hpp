// SPDX-License-Identifier: Apache-2.0
// The samples of a dataset of pictures, as training draws them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tyto/core/random.hpp"
#include "tyto/data/dataset.hpp"

namespace tyto {

class PictureSamples {
 public:
  // Splits as train_backbone says. The dataset must outlive this.
  PictureSamples(const Dataset& dataset, double validation, const Rng& rng);

  [[nodiscard]] Index height() const { return height_; }

  [[nodiscard]] Index width() const { return width_; }

  [[nodiscard]] const std::vector<std::string>& classes() const { return classes_; }

  [[nodiscard]] const std::vector<Index>& train() const { return train_; }

  [[nodiscard]] const std::vector<Index>& validation() const { return validation_; }

  [[nodiscard]] const std::vector<Index>& test() const { return test_; }

  [[nodiscard]] std::int64_t target(Index sample) const { return target_[at(sample)]; }

  [[nodiscard]] Index frames(Index sample) const {
    return first_[at(sample) + 1] - first_[at(sample)];
  }

  // Frames `chosen` (numbers within each sample) of these samples, one after another.
  [[nodiscard]] Matrix rows(const std::vector<Index>& samples,
                            const std::vector<std::vector<Index>>& chosen) const;

 private:
  const Dataset& dataset_;
  Index height_ = 0, width_ = 0;
  std::vector<std::string> classes_;
  std::vector<std::int64_t> target_;  // -1: no label
  std::vector<Index> first_;          // row of each sample's first frame
  std::vector<Index> train_, validation_, test_;
};

}  // namespace tyto
