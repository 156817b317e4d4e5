// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/block_products.hpp"

#include <algorithm>

#include "tyto/core/heed_interrupts.hpp"
#include "tyto/math/all_finite.hpp"

namespace tyto {

namespace {

constexpr Index kFewestRounded = 128;     // rows for which rounding pays
constexpr Index kTrial = Index{1} << 22;  // pairs after which it is asked whether bytes serve
constexpr Index kOftenLeft = 12;          // one pair in so many: measuring takes what bytes save

}  // namespace

template <class T>
BlockProducts<T>::BlockProducts(const RowDistance<T>& distance)
    : distance_(distance), frame_(distance.product_frame()) {
  by_bytes_ = distance.rows() >= kFewestRounded && rough_products_pay(frame_.width) && round_all();
  if (!by_bytes_) {
    std::call_once(plain_once_, [&] {
      ProductRows all = distance_.product_rows(frame_, 0, distance_.rows());
      plain_ = std::move(all.rows);
      norms_ = std::move(all.norms);
    });
  }
}

template <class T>
bool BlockProducts<T>::round_all() {
  norms_.resize(distance_.rows());
  rounded_.reserve(at(blocks()));
  for (Index block = 0; block < blocks(); ++block) {
    heed_interrupts();
    const ProductRows some = distance_.product_rows(frame_, block * kBlock, size(block));
    if (!all_finite(some.rows)) {
      rounded_.clear();
      return false;
    }
    norms_.segment(block * kBlock, size(block)) = some.norms;
    rounded_.push_back({RoughQueries(some.rows), RoughReferences(some.rows)});
  }
  return true;
}

template <class T>
void BlockProducts<T>::bound(Index upper, Index right, Matrix& out) {
  const Index rows = size(upper);
  const Index columns = size(right);
  out.resize(rows, columns);
  if (!by_bytes_) {
    std::call_once(plain_once_,
                   [&] { plain_ = distance_.product_rows(frame_, 0, distance_.rows()).rows; });
    out.noalias() = (-2.0F * plain_.middleRows(upper * kBlock, rows)) *
                    plain_.middleRows(right * kBlock, columns).transpose();
    return;
  }
  const RoughQueries& queries = rounded_[at(upper)].queries;
  const RoughReferences& references = rounded_[at(right)].references;
  const auto lengths = references.norm.head(columns).transpose();
  RoughProducts products;
  for (Index first = 0; first < rows; first += RoughProducts::kQueries) {
    products.multiply(queries, first, references, 0, columns);
    for (Index i = 0; i < std::min(RoughProducts::kQueries, rows - first); ++i) {
      products.bounds(i, &out(first + i, 0));
      out.row(first + i) -= lengths;
    }
  }
}

template <class T>
void BlockProducts<T>::heed(Index pairs, Index measured) {
  const Index seen = pairs_ += pairs;
  const Index left = measured_ += measured;
  if (by_bytes_ && seen > kTrial) {
    by_bytes_ = left * kOftenLeft < seen;
    pairs_ = 0;
    measured_ = 0;
  }
}

template class BlockProducts<float>;
template class BlockProducts<double>;

}  // namespace tyto
