// SPDX-License-Identifier: Apache-2.0
// Fit rows chosen by a hash of their ids, for detectors that cannot bear them all. What is chosen
// depends on the samples shown alone, not on their order.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tyto/parts/slots.hpp"

namespace tyto {

class FitSample {
 public:
  // At most `most` of the labelled fit rows, remembered and new: those of the least hashes.
  FitSample(const Experience& experience, Index most, std::uint64_t key);

  [[nodiscard]] const std::vector<Index>& rows() const { return rows_; }  // ascending

  [[nodiscard]] bool takes(SampleId id) const;

  [[nodiscard]] Matrix features(const Experience& experience, Work& work) const;

  // What the classifier's last layer sees of these rows.
  [[nodiscard]] Matrix head_inputs(const Experience& experience, Work& work) const;

 private:
  using Place = std::pair<std::uint64_t, std::uint32_t>;  // hash and id
  [[nodiscard]] Place place(SampleId id) const;

  std::uint64_t key_;
  std::vector<Index> rows_;
  std::optional<Place> last_;  // none: all are taken
};

}  // namespace tyto
