// SPDX-License-Identifier: Apache-2.0
// A uniform draw from rows of unknown number, in bounded memory.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

// Each row has a random key by its number, and those with the smallest keys stay: which rows are
// drawn does not depend on the blocks they come in.
class RowDraw {
 public:
  RowDraw(Index most, const Rng& rng) : most_(most), key_(rng.key()) {}

  void add(const Matrix& rows);

  [[nodiscard]] Index seen() const { return seen_; }

  [[nodiscard]] Matrix rows() const;  // as they came

 private:
  struct Drawn {
    std::uint64_t key = 0;
    Index row = 0;    // as it came
    Index place = 0;  // in values_
  };

  static bool before(const Drawn& a, const Drawn& b) {
    return std::pair(a.key, a.row) < std::pair(b.key, b.row);
  }

  Index most_, seen_ = 0, width_ = 0;
  std::uint64_t key_;
  std::vector<Drawn> drawn_;  // a heap once it is full, the greatest key first
  std::vector<float> values_;
};

}  // namespace tyto
