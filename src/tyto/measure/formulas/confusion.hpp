// SPDX-License-Identifier: Apache-2.0
// How often each class was taken for each: rows actual, columns predicted, matched by name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/measure/lazy.hpp"

namespace tyto {

// Both axes share one list of labels, in order of arrival. Only cells that were hit are kept, so
// memory is bounded by the samples whatever the number of discovered classes.
class Confusion {
 public:
  using Count = std::int64_t;
  // ((actual, predicted), count): sorted, none of them 0.
  using Cells = std::vector<std::pair<std::pair<Index, Index>, Count>>;

  Confusion() = default;
  explicit Confusion(std::span<const std::string> labels);  // all counts 0

  // Pairs of names, one per sample.
  static Confusion from(std::span<const std::string> actual,
                        std::span<const std::string> predicted);
  // Pairs of places in `labels`, which are all different. No name is looked at per sample.
  static Confusion from(std::span<const std::string> labels, std::span<const std::int32_t> actual,
                        std::span<const std::int32_t> predicted);
  // Counted pairs of places in any order. A name may stand at several places: they are added up
  // into the first of them.
  static Confusion from(std::span<const std::string_view> labels, const Cells& cells);

  Index add_label(std::string_view name);  // its place, new if need be
  void add(std::string_view actual, std::string_view predicted, Count count = 1);
  // Adds counts of equal names; names only `other` has are appended in its order.
  void merge(const Confusion& other);

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
  using Places = std::unordered_map<std::string, Index>;

  std::vector<std::string> labels_;
  Lazy<Places> places_;  // by label; most matrices are never asked for one
  Cells cells_;
  Count total_ = 0;
};

// How often each pair of places in [0, places) occurs. O(n + places^2), or O(n log n) for few
// pairs.
Confusion::Cells count_pairs(Index places, std::span<const std::int32_t> actual,
                             std::span<const std::int32_t> predicted);

}  // namespace tyto
