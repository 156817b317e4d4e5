// SPDX-License-Identifier: Apache-2.0
// Products of all pairs of rows, a pair of blocks at a time, as something that rules pairs out.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "tyto/cluster/row_distance.hpp"
#include "tyto/math/rough_products.hpp"

namespace tyto {

// Of rows rounded to bytes where the processor is quicker with these and they rule out enough, of
// floats else: four times as many a second, for a bound that is a little lower. Memory: the rows
// twice in bytes, or once more in float32; in float32 too where bytes turn out not to serve.
template <class T>
class BlockProducts {
 public:
  // Parcels of bytes are whole, and a block of products stays in the cache of one core.
  static constexpr Index kBlock = 10 * RoughReferences::kParcel;

  explicit BlockProducts(const RowDistance<T>& distance);

  [[nodiscard]] Index blocks() const { return (distance_.rows() + kBlock - 1) / kBlock; }

  [[nodiscard]] Index size(Index block) const {
    return std::min(kBlock, distance_.rows() - block * kBlock);
  }

  [[nodiscard]] const ProductFrame& frame() const { return frame_; }

  [[nodiscard]] const Vector& norms() const { return norms_; }

  // For every row x of one block and y of the other at most -2 x.y, up to the margin of the frame.
  // Threads may call it.
  void bound(Index upper, Index right, Matrix& out);

  // So many of so many pairs could not be ruled out. Which products are used changes no answer.
  void heed(Index pairs, Index measured);

 private:
  struct Rounded {
    RoughQueries queries;
    RoughReferences references;
  };

  [[nodiscard]] bool round_all();

  const RowDistance<T>& distance_;
  ProductFrame frame_;
  Vector norms_;
  std::vector<Rounded> rounded_;
  std::atomic<bool> by_bytes_ = false;
  std::atomic<Index> pairs_ = 0, measured_ = 0;
  std::once_flag plain_once_;
  Matrix plain_;
};

extern template class BlockProducts<float>;
extern template class BlockProducts<double>;

}  // namespace tyto
