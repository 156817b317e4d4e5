// SPDX-License-Identifier: Apache-2.0
// The k nearest rows, exactly, over reference rows that arrive block by block.
#pragma once

#include <cstdint>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct Neighbours {  // nearest first, squared Euclidean distance, ties to the lower row
  Dense<std::int32_t> row;
  Matrix distance;
};

// A matrix product rules out what is too far by more than its rounding error; the rest is measured
// by squared_distance(). The answer therefore does not depend on how queries or references were cut
// into blocks, nor on the number of threads. O(n m d) time; memory O(n (d + k)) and a fixed buffer.
class NearestK {
 public:
  NearestK(Matrix queries, Index k);

  // Rows first_row, first_row + 1, ... of the reference; blocks may come in any order, none twice.
  void add(const MatrixView& block, Index first_row);

  // min(k, references added) columns.
  [[nodiscard]] Neighbours result() const;

 private:
  void offer(Index query, std::int32_t row, float distance);

  Matrix queries_;
  Vector norms_;
  Index k_;
  Index seen_ = 0;
  Neighbours best_;
};

Neighbours nearest_rows(const MatrixView& queries, const MatrixView& references, Index k);

}  // namespace tyto
