// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/extremes/other_class_tails.hpp"

#include <algorithm>
#include <limits>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"
#include "tyto/math/product_bound.hpp"

namespace tyto {

namespace {

constexpr Index kTailBlock = 1024;
constexpr Index kChunk = 16;
constexpr Index kStripe = 64;  // columns one thread looks after
constexpr float kInfiniteDistance = std::numeric_limits<float>::infinity();

class Tails {
 public:
  Tails(const MatrixView& rows, std::span<const std::int32_t> classes, Matrix& tails)
      : rows_(rows),
        classes_(classes),
        tails_(tails),
        norms_(squared_norms(rows)),
        bound_(rows.rows()),
        changed_(static_cast<std::size_t>(rows.rows()), 0) {
    const float widest = norms_.maxCoeff();
    margin_ = product_rounding_share(rows.cols()) * (norms_.array() + widest).matrix();
    for (Index i = 0; i < rows.rows(); ++i) {
      set_bound(i);
    }
  }

  // Pairs of rows of `a` with rows of `b`, two blocks that are equal or have no row in common.
  void meet(Index a, Index a_rows, Index b, Index b_rows) {
    products_.resize(a_rows, b_rows);
    products_.noalias() = rows_.middleRows(a, a_rows) * rows_.middleRows(b, b_rows).transpose();
    for_each_index(a_rows, [&](Index i) {
      const Index row = a + i;
      const auto near = [&](Index j) {
        return !(norms_[b + j] - 2.0F * products_(i, j) > bound_[row]);
      };
      scan(0, b_rows, near, [&](Index j) { offer(row, b + j); });
    });
    if (a == b) {
      return;
    }
    for_each_index((b_rows + kStripe - 1) / kStripe, [&](Index stripe) {
      const Index begin = stripe * kStripe;
      const Index end = std::min(begin + kStripe, b_rows);
      for (Index i = 0; i < a_rows; ++i) {
        const float norm = norms_[a + i];
        const auto near = [&](Index j) { return !(norm - 2.0F * products_(i, j) > bound_[b + j]); };
        scan(begin, end, near, [&](Index j) { offer(b + j, a + i); });
      }
    });
  }

  [[nodiscard]] std::vector<std::uint8_t> changed(Index rows) const {
    return {changed_.begin(), changed_.begin() + rows};
  }

 private:
  // visit(j) for every j that is near; the test is repeated, since a visit may tighten the bound.
  // Not (x > bound) rather than x <= bound: an overflow to NaN is measured, not skipped.
  template <class Near, class Visit>
  static void scan(Index begin, Index end, const Near& near, const Visit& visit) {
    Index j = begin;
    for (; j + kChunk <= end; j += kChunk) {
      int any = 0;
      for (Index l = j; l < j + kChunk; ++l) {
        any |= static_cast<int>(near(l));
      }
      for (Index l = j; any != 0 && l < j + kChunk; ++l) {
        if (near(l)) {
          visit(l);
        }
      }
    }
    for (; j < end; ++j) {
      if (near(j)) {
        visit(j);
      }
    }
  }

  void offer(Index row, Index other) {
    const auto at = static_cast<std::size_t>(row);
    if (classes_[at] == classes_[static_cast<std::size_t>(other)]) {
      return;
    }
    const float* mine = rows_.data() + row * rows_.outerStride();
    const float distance =
        squared_distance(mine, rows_.data() + other * rows_.outerStride(), rows_.cols());
    float* tail = &tails_(row, 0);
    Index place = tails_.cols() - 1;
    if (!(distance < tail[place])) {
      return;
    }
    for (; place > 0 && distance < tail[place - 1]; --place) {
      tail[place] = tail[place - 1];
    }
    tail[place] = distance;
    changed_[at] = 1;
    set_bound(row);
  }

  // |r|^2 - 2 q.r beyond this is certainly further than the last of the tail so far.
  void set_bound(Index row) {
    bound_[row] = tails_(row, tails_.cols() - 1) - norms_[row] + margin_[row];
  }

  const MatrixView& rows_;
  std::span<const std::int32_t> classes_;
  Matrix& tails_;
  Vector norms_, margin_, bound_;
  std::vector<std::uint8_t> changed_;
  Matrix products_;
};

}  // namespace

std::vector<std::uint8_t> update_other_class_tails(const MatrixView& rows,
                                                   std::span<const std::int32_t> classes,
                                                   Index first_new, Matrix& tails,
                                                   const std::function<void()>& pulse) {
  TYTO_ASSERT(tails.rows() == rows.rows() && tails.cols() > 0);
  TYTO_ASSERT(static_cast<Index>(classes.size()) == rows.rows());
  if (first_new == rows.rows()) {
    return std::vector<std::uint8_t>(static_cast<std::size_t>(first_new), 0);
  }
  tails.bottomRows(rows.rows() - first_new).setConstant(kInfiniteDistance);
  Tails finder(rows, classes, tails);
  for (Index b = first_new; b < rows.rows(); b += kTailBlock) {
    const Index b_rows = std::min(kTailBlock, rows.rows() - b);
    const auto against = [&](Index from, Index to) {
      in_blocks(to - from, kTailBlock, [&](Index begin, Index count) {
        finder.meet(from + begin, count, b, b_rows);
        pulse();
      });
    };
    against(0, first_new);
    against(first_new, b + b_rows);  // the last of these blocks is the new one itself
  }
  return finder.changed(first_new);
}

}  // namespace tyto
