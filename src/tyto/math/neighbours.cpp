// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/neighbours.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tyto/core/error.hpp"
#include "tyto/core/heed_interrupts.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"
#include "tyto/math/product_bound.hpp"

namespace tyto {

namespace {

constexpr Index kQueries = 512;
constexpr Index kReferences = 2048;
constexpr Index kChunk = 16;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

NearestK::NearestK(Matrix queries, Index k)
    : queries_(std::move(queries)), norms_(squared_norms(queries_)), k_(k) {
  TYTO_ASSERT(k > 0);
  best_.row.setConstant(queries_.rows(), k, -1);
  best_.distance.setConstant(queries_.rows(), k, kInfinity);
}

void NearestK::offer(Index query, std::int32_t row, float distance) {
  float* distances = &best_.distance(query, 0);
  std::int32_t* rows = &best_.row(query, 0);
  const auto before = [&](Index at) {
    return distance < distances[at] ||
           (distance == distances[at] && (row < rows[at] || rows[at] < 0));
  };
  Index at = k_ - 1;
  if (!before(at)) {
    return;
  }
  for (; at > 0 && before(at - 1); --at) {
    distances[at] = distances[at - 1];
    rows[at] = rows[at - 1];
  }
  distances[at] = distance;
  rows[at] = row;
}

void NearestK::add(const MatrixView& block, Index first_row) {
  TYTO_ASSERT(block.cols() == queries_.cols());
  TYTO_ASSERT(first_row + block.rows() <= std::numeric_limits<std::int32_t>::max());
  seen_ += block.rows();
  const Index width = queries_.cols();
  const float share = product_rounding_share(width);
  Matrix products;
  in_blocks(block.rows(), kReferences, [&](Index first, Index count) {
    const auto references = block.middleRows(first, count);
    const Vector norms = squared_norms(references);
    const float widest = norms.maxCoeff();
    in_blocks(queries_.rows(), kQueries, [&](Index begin, Index queries) {
      heed_interrupts();
      products.resize(queries, count);
      products.noalias() = queries_.middleRows(begin, queries) * references.transpose();
      for_each_index(queries, [&](Index i) {
        const Index query = begin + i;
        const float* product = &products(i, 0);
        const float margin = share * (norms_[query] + widest);
        // |r|^2 - 2 q.r beyond this is certainly further than the k-th so far. Not (x > limit)
        // rather than x <= limit: an overflow to NaN is measured, not skipped.
        const auto limit = [&] { return best_.distance(query, k_ - 1) - norms_[query] + margin; };
        const auto measure = [&](Index j) {
          if (!(norms[j] - 2.0F * product[j] > limit())) {
            const float* reference = references.data() + j * references.outerStride();
            offer(query, static_cast<std::int32_t>(first_row + first + j),
                  squared_distance(&queries_(query, 0), reference, width));
          }
        };
        Index j = 0;
        for (; j + kChunk <= count; j += kChunk) {
          const float far = limit();
          int near = 0;
          for (Index l = j; l < j + kChunk; ++l) {
            near |= static_cast<int>(!(norms[l] - 2.0F * product[l] > far));
          }
          for (Index l = j; near != 0 && l < j + kChunk; ++l) {
            measure(l);
          }
        }
        for (; j < count; ++j) {
          measure(j);
        }
      });
    });
  });
}

Neighbours NearestK::result() const {
  const Index columns = std::min(k_, seen_);
  return {best_.row.leftCols(columns), best_.distance.leftCols(columns)};
}

Neighbours nearest_rows(const MatrixView& queries, const MatrixView& references, Index k) {
  NearestK nearest(queries, k);
  nearest.add(references, 0);
  return nearest.result();
}

}  // namespace tyto
