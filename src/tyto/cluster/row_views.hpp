// SPDX-License-Identifier: Apache-2.0
// Another look at a row of features: the row itself or one of its neighbours, with noise and with
// columns left out. What pictures get by cropping and flipping.
#pragma once

#include <cstdint>

#include "tyto/core/options.hpp"
#include "tyto/core/progress.hpp"
#include "tyto/math/neighbours.hpp"

namespace tyto {

struct ViewOptions {
  Index neighbours = 5;
  double noise = 0.1;
  double dropout = 0.1;

  void describe(OptionVisitor& v);
};

class RowViews {
 public:
  // Keeps a view of the rows.
  RowViews(const Matrix& rows, const ViewOptions& options, Work& work);

  // Of these rows, at unit length; the same for the same row and number, whatever the batch.
  [[nodiscard]] Matrix draw(const Rows& batch, std::uint64_t number) const;

 private:
  const Matrix& rows_;
  ViewOptions options_;
  std::uint64_t key_;
  Vector spread_;  // what noise of 1 is worth, by column
  Dense<std::int32_t> near_;
};

}  // namespace tyto
