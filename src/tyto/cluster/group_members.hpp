// SPDX-License-Identifier: Apache-2.0
// The rows of each group, in ascending order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

class GroupMembers {
 public:
  // Group of each row, in [0, count); a row below 0 is in none.
  GroupMembers(std::span<const std::int32_t> groups, Index count)
      : begin_(static_cast<std::size_t>(count) + 1, 0) {
    for (const std::int32_t group : groups) {
      if (group >= 0) {
        ++begin_[static_cast<std::size_t>(group) + 1];
      }
    }
    for (std::size_t g = 1; g < begin_.size(); ++g) {
      begin_[g] += begin_[g - 1];
    }
    rows_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i] >= 0) {
        rows_[next[static_cast<std::size_t>(groups[i])]++] = static_cast<std::int32_t>(i);
      }
    }
  }

  [[nodiscard]] std::span<const std::int32_t> of(Index group) const {
    const std::size_t begin = begin_[static_cast<std::size_t>(group)];
    return {rows_.data() + begin, begin_[static_cast<std::size_t>(group) + 1] - begin};
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<std::int32_t> rows_;
};

}  // namespace tyto
