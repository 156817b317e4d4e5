// SPDX-License-Identifier: Apache-2.0
// The distance between two rows of one set, measured in double in one fixed order, and the float32
// rows whose products bound it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

enum class Metric { cosine, euclidean, manhattan };

Metric metric_of(std::string_view word);  // one of the above

template <class T>
using DenseView = Eigen::Ref<const Dense<T>>;

// Where rows are shifted or scaled to, so that products are precise. The squared Euclidean distance
// of two of them, norm + norm - 2 product in float32, is off from squared() of the measured
// distance by no more than margin().
struct ProductFrame {
  Index width = 0;
  bool is_cosine = false;
  Eigen::VectorXd mean;  // of Euclidean rows
  double scale = 1.0;

  [[nodiscard]] float squared(double distance) const;
  [[nodiscard]] float margin(float norm, float other) const;
};

struct ProductRows {
  ProductFrame frame;
  Matrix rows;
  Vector norms;
};

// Equal for (i, j) and (j, i), 0 for equal rows, and rounded to the type of the rows. Cosine is
// half the squared chord between the rows at unit length, which is exact where 1 - x.y cancels; a
// zero row is at distance 1 from every other. Timed: the last column is a time, the distance of the
// others is multiplied by the difference in time. Keeps a view of the rows.
template <class T>
class RowDistance {
 public:
  RowDistance(const DenseView<T>& rows, Metric metric, bool timed = false);

  [[nodiscard]] Index rows() const { return rows_.rows(); }

  [[nodiscard]] double operator()(Index i, Index j) const;

  void refresh(Index i);  // row i has been written to

  // Whether product rows bound this distance; else every pair has to be measured.
  [[nodiscard]] bool has_products() const { return metric_ != Metric::manhattan && !timed_; }

  [[nodiscard]] ProductFrame product_frame() const;  // of all rows
  [[nodiscard]] ProductRows product_rows(const ProductFrame& frame, Index begin, Index count) const;
  [[nodiscard]] ProductRows product_rows(const ProductFrame& frame,
                                         std::span<const std::int32_t> these) const;
  [[nodiscard]] ProductRows product_rows(std::span<const std::int32_t> these) const;  // their frame

  // Cosine, and the row is zero.
  [[nodiscard]] bool is_zero(Index i) const {
    return metric_ == Metric::cosine && scale_[static_cast<std::size_t>(i)] == 0.0;
  }

  [[nodiscard]] bool is_same(Index i, Index j) const;  // value by value

  // A measure in which the triangle inequality holds among rows that are not zero, and the greatest
  // chord of two rows by their distances to a third.
  [[nodiscard]] double chord(double distance) const;
  [[nodiscard]] double farthest(double one, double other) const;

 private:
  [[nodiscard]] const T* row(Index i) const { return rows_.data() + i * rows_.outerStride(); }

  template <class At>
  [[nodiscard]] ProductFrame frame_of(Index count, const At& at) const;
  template <class At>
  [[nodiscard]] ProductRows framed(const ProductFrame& frame, Index count, const At& at) const;

  DenseView<T> rows_;
  Metric metric_;
  bool timed_;
  Index width_;                // without the time
  std::vector<double> scale_;  // cosine: 1 / norm, 0 for a zero row
};

extern template class RowDistance<float>;
extern template class RowDistance<double>;

}  // namespace tyto
