// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/detect/row_draw.hpp"

#include <algorithm>

namespace tyto {

void RowDraw::add(const Matrix& rows) {
  width_ = rows.cols();
  for (Index i = 0; i < rows.rows(); ++i, ++seen_) {
    Drawn one{mix(key_, "draw", static_cast<std::uint64_t>(seen_)), seen_, std::ssize(drawn_)};
    if (std::ssize(drawn_) < most_) {
      values_.insert(values_.end(), rows.row(i).begin(), rows.row(i).end());
      drawn_.push_back(one);
      std::push_heap(drawn_.begin(), drawn_.end(), before);
      continue;
    }
    if (most_ == 0 || !before(one, drawn_.front())) {
      continue;
    }
    std::pop_heap(drawn_.begin(), drawn_.end(), before);
    one.place = drawn_.back().place;
    std::copy(rows.row(i).begin(), rows.row(i).end(), values_.begin() + one.place * width_);
    drawn_.back() = one;
    std::push_heap(drawn_.begin(), drawn_.end(), before);
  }
}

Matrix RowDraw::rows() const {
  std::vector<Drawn> order = drawn_;
  std::sort(order.begin(), order.end(),
            [](const Drawn& a, const Drawn& b) { return a.row < b.row; });
  Matrix out(std::ssize(order), width_);
  for (Index i = 0; i < out.rows(); ++i) {
    out.row(i) =
        Eigen::Map<const Eigen::RowVectorXf>(values_.data() + order[at(i)].place * width_, width_);
  }
  return out;
}

}  // namespace tyto
