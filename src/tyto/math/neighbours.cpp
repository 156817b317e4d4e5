// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/neighbours.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <utility>

#include "tyto/core/error.hpp"
#include "tyto/core/heed_interrupts.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/all_finite.hpp"
#include "tyto/math/distances.hpp"
#include "tyto/math/product_bound.hpp"
#include "tyto/math/reference_rows.hpp"

namespace tyto {

namespace {

constexpr Index kQueries = 512;
constexpr Index kReferences = 2048;
constexpr Index kChunk = 16;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Index kFewestByBytes = 128;  // references and queries, for which rounding them pays
constexpr Index kRounded = 16 * RoughProducts::kMost;  // references rounded at a time
constexpr Index kOftenMeasured = 3;  // one in so many pairs: then floats rule out more cheaply

void offer(Neighbours& best, Index query, std::int32_t row, float distance) {
  float* distances = &best.distance(query, 0);
  std::int32_t* rows = &best.row(query, 0);
  const auto before = [&](Index at) {
    return distance < distances[at] ||
           (distance == distances[at] && (row < rows[at] || rows[at] < 0));
  };
  Index at = best.row.cols() - 1;
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

bool goes_by_bytes(const Matrix& queries, Index references) {
  return references >= kFewestByBytes && queries.rows() >= kFewestByBytes &&
         rough_products_pay(queries.cols()) && all_finite(queries);
}

// `rough` are the rows of the block. Returns how many rows it went through: it stops where the
// bytes rule out too little.
Index add_by_bytes(const Matrix& queries, const Vector& norms, const RoughQueries& rough_queries,
                   const MatrixView& block, const RoughReferences& rough, Index first_row,
                   Neighbours& best) {
  const Index width = queries.cols();
  const Index k = best.row.cols();
  const float share = product_rounding_share(width);
  constexpr Index kGroup = RoughProducts::kQueries;
  Index first = 0;
  for (bool pays = true; pays && first < block.rows(); first += RoughProducts::kMost) {
    const Index count = std::min(RoughProducts::kMost, block.rows() - first);
    heed_interrupts();
    const float widest = rough.norm.segment(first, count).maxCoeff();
    std::atomic<Index> measured = 0;
    for_each_index((queries.rows() + kGroup - 1) / kGroup, [&](Index group) {
      RoughProducts products;
      products.multiply(rough_queries, group * kGroup, rough, first, count);
      Index looked = 0;
      for (Index i = 0; i < kGroup && group * kGroup + i < queries.rows(); ++i) {
        const Index query = group * kGroup + i;
        const float margin = share * (norms[query] + widest);
        const auto limit = [&] { return best.distance(query, k - 1) - norms[query] + margin; };
        unsigned near = 0;
        for (Index chunk = products.first_near(i, 0, limit(), near); chunk < count;
             chunk = products.first_near(i, chunk + kChunk, limit(), near)) {
          for (; near != 0; near &= near - 1) {
            const Index j = first + chunk + std::countr_zero(near);
            offer(best, query, static_cast<std::int32_t>(first_row + j),
                  squared_distance(&queries(query, 0), block.data() + j * block.outerStride(),
                                   width));
            ++looked;
          }
        }
      }
      measured += looked;
    });
    // At first nothing is near yet, so that much is measured whatever rules out.
    pays = first == 0 || measured < queries.rows() * (k + count / kOftenMeasured);
  }
  return std::min(first, block.rows());
}

void add_by_products(const Matrix& queries, const Vector& query_norms, const MatrixView& block,
                     Index first_row, Neighbours& best) {
  const Index width = queries.cols();
  const Index k = best.row.cols();
  const float share = product_rounding_share(width);
  Matrix products;
  in_blocks(block.rows(), kReferences, [&](Index first, Index count) {
    const auto references = block.middleRows(first, count);
    const Vector norms = squared_norms(references);
    const float widest = norms.maxCoeff();
    in_blocks(queries.rows(), kQueries, [&](Index begin, Index some) {
      heed_interrupts();
      products.resize(some, count);
      products.noalias() = queries.middleRows(begin, some) * references.transpose();
      for_each_index(some, [&](Index i) {
        const Index query = begin + i;
        const float* product = &products(i, 0);
        const float margin = share * (query_norms[query] + widest);
        // |r|^2 - 2 q.r beyond this is certainly further than the k-th so far. Not (x > limit)
        // rather than x <= limit: an overflow to NaN is measured, not skipped.
        const auto limit = [&] {
          return best.distance(query, k - 1) - query_norms[query] + margin;
        };
        const auto measure = [&](Index j) {
          if (!(norms[j] - 2.0F * product[j] > limit())) {
            const float* reference = references.data() + j * references.outerStride();
            offer(best, query, static_cast<std::int32_t>(first_row + first + j),
                  squared_distance(&queries(query, 0), reference, width));
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

Neighbours none_yet(Index queries, Index k) {
  return {Dense<std::int32_t>::Constant(queries, k, -1), Matrix::Constant(queries, k, kInfinity)};
}

}  // namespace

NearestK::NearestK(Matrix queries, Index k)
    : queries_(std::move(queries)), norms_(squared_norms(queries_)), k_(k) {
  TYTO_ASSERT(k > 0);
  best_.row.setConstant(queries_.rows(), k, -1);
  best_.distance.setConstant(queries_.rows(), k, kInfinity);
}

void NearestK::offer(Index query, std::int32_t row, float distance) {
  tyto::offer(best_, query, row, distance);
}

void NearestK::add(const MatrixView& block, Index first_row) {
  TYTO_ASSERT(block.cols() == queries_.cols());
  TYTO_ASSERT(first_row + block.rows() <= std::numeric_limits<std::int32_t>::max());
  seen_ += block.rows();
  Index done = 0;
  if (goes_by_bytes(queries_, block.rows()) && all_finite(block)) {
    const RoughQueries rough(queries_);
    for (bool pays = true; pays && done < block.rows();) {
      const Index count = std::min(kRounded, block.rows() - done);
      const auto some = block.middleRows(done, count);
      const Index through = add_by_bytes(queries_, norms_, rough, some, RoughReferences(some),
                                         first_row + done, best_);
      done += through;
      pays = through == count;
    }
  }
  add_by_products(queries_, norms_, block.middleRows(done, block.rows() - done), first_row + done,
                  best_);
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

ReferenceRows::ReferenceRows(Matrix of) : rows(std::move(of)) {
  if (rough_products_pay(rows.cols()) && all_finite(rows)) {
    rough.emplace(rows);
  }
}

Neighbours nearest_rows(const Matrix& queries, const ReferenceRows& references, Index k) {
  TYTO_ASSERT(k > 0 && references.rows.cols() == queries.cols());
  Neighbours best = none_yet(queries.rows(), k);
  const Vector norms = squared_norms(queries);
  const Index all = references.rows.rows();
  Index done = 0;
  if (references.rough && goes_by_bytes(queries, all)) {
    done = add_by_bytes(queries, norms, RoughQueries(queries), references.rows, *references.rough,
                        0, best);
  }
  add_by_products(queries, norms, references.rows.middleRows(done, all - done), done, best);
  const Index columns = std::min(k, all);
  return {best.row.leftCols(columns), best.distance.leftCols(columns)};
}

}  // namespace tyto
