// SPDX-License-Identifier: Apache-2.0
// How often each class was taken for each: rows actual, columns predicted, matched by name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

// Both axes share one list of labels, in order of arrival. Only cells that were hit are kept, so
// memory is bounded by the samples whatever the number of discovered classes.
class Confusion {
 public:
  using Count = std::int64_t;
  using Cells = std::map<std::pair<Index, Index>, Count>;  // (actual, predicted), none of them 0

  Confusion() = default;
  explicit Confusion(std::span<const std::string> labels);  // all counts 0

  // Pairs of names, one per sample.
  static Confusion from(std::span<const std::string> actual,
                        std::span<const std::string> predicted);
  // Pairs of places in `labels`, whose names differ. O(n log n), no name is looked at per sample.
  static Confusion from(std::span<const std::string> labels, std::span<const std::int32_t> actual,
                        std::span<const std::int32_t> predicted);

  Index add_label(std::string_view name);  // its place, new if need be
  void add(std::string_view actual, std::string_view predicted, Count count = 1);
  // Adds counts of equal names; names only `other` has are appended in its order.
  void merge(const Confusion& other);
  // Sums the rows and columns of `names` (those not present are passed over) into one called
  // `into`, which keeps its place if it is a label already and comes last if not. Throws
  // Error(data) if a label outside `names` is called `into` and would vanish in the sum.
  [[nodiscard]] Confusion reduced(std::span<const std::string> names, std::string_view into) const;

  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }

  [[nodiscard]] Index size() const { return static_cast<Index>(labels_.size()); }

  [[nodiscard]] std::optional<Index> find(std::string_view name) const;
  [[nodiscard]] Count count(std::string_view actual, std::string_view predicted) const;

  [[nodiscard]] const Cells& cells() const { return cells_; }

  [[nodiscard]] Count total() const { return total_; }

  [[nodiscard]] Count correct() const;                        // the diagonal
  [[nodiscard]] std::vector<Count> actual_counts() const;     // row sums, by label
  [[nodiscard]] std::vector<Count> predicted_counts() const;  // column sums, by label

 private:
  std::vector<std::string> labels_;
  std::map<std::string, Index, std::less<>> places_;
  Cells cells_;
  Count total_ = 0;
};

}  // namespace tyto
