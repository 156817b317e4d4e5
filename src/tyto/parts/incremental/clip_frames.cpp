// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/incremental/clip_frames.hpp"

#include <bit>

#include "tyto/core/random.hpp"

namespace tyto {

Matrix with_changes(const Matrix& rows, Index segments) {
  const Index width = rows.cols();
  Matrix out(rows.rows(), 2 * width);
  for (Index i = 0; i < rows.rows(); ++i) {
    const bool last = (i + 1) % segments == 0;
    out.row(i).head(width) = rows.row(i);
    if (last) {
      out.row(i).tail(width).setZero();
    } else {
      out.row(i).tail(width) = rows.row(i + 1) - rows.row(i);
    }
  }
  return out;
}

Matrix shuffled_clips(const Matrix& rows, Index segments) {
  Matrix out(rows.rows(), rows.cols());
  for (Index begin = 0; begin < rows.rows(); begin += segments) {
    std::uint64_t key = 0;
    for (Index j = 0; j < rows.cols(); ++j) {
      key = mix(key, "row", std::bit_cast<std::uint32_t>(rows(begin, j)));
    }
    const std::vector<Index> order = Rng(key, "shuffled").permutation(segments);
    for (Index i = 0; i < segments; ++i) {
      out.row(begin + i) = rows.row(begin + order[static_cast<std::size_t>(i)]);
    }
  }
  return out;
}

}  // namespace tyto
