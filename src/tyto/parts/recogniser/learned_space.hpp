// SPDX-License-Identifier: Apache-2.0
// A space that rows are grouped in, learned from the very rows that are grouped.
#pragma once

#include <cstdint>
#include <span>

#include "tyto/core/progress.hpp"
#include "tyto/sample/saved.hpp"

namespace tyto {

struct LearnedSpace : Saved {
  // Begins anew. `labels` has the class of each row as far as it is known, -1: not.
  virtual void learn(const MatrixView& rows, std::span<const std::int32_t> labels, Work& work) = 0;

  // Each row for itself, of as many numbers as were learned from.
  [[nodiscard]] virtual Matrix of(const MatrixView& rows) const = 0;
};

}  // namespace tyto
