// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/extremes/set_cover.hpp"

#include <bit>
#include <cstdint>
#include <queue>

#include "tyto/core/error.hpp"
#include "tyto/core/heed_interrupts.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"
#include "tyto/math/product_bound.hpp"

namespace tyto {

namespace {

constexpr Index kCoverBlock = 512;
constexpr Index kBits = 64;

using Bits = Dense<std::uint64_t>;

// Bit j of row i: i covers j.
Bits coverage(const MatrixView& rows, const Vector& reach) {
  const Index n = rows.rows();
  Bits bits = Bits::Zero(n, (n + kBits - 1) / kBits);
  const Vector norms = squared_norms(rows);
  const float share = product_rounding_share(rows.cols());
  Matrix products;
  in_blocks(n, kCoverBlock, [&](Index a, Index a_rows) {
    in_blocks(n, kCoverBlock, [&](Index b, Index b_rows) {
      heed_interrupts();
      products.resize(a_rows, b_rows);
      products.noalias() = rows.middleRows(a, a_rows) * rows.middleRows(b, b_rows).transpose();
      for_each_index(a_rows, [&](Index k) {
        const Index i = a + k;
        const float* mine = rows.data() + i * rows.outerStride();
        for (Index l = 0; l < b_rows; ++l) {
          const Index j = b + l;
          const float far = norms[i] + norms[j] - 2.0F * products(k, l);
          const float margin = share * (norms[i] + norms[j]);
          bool covered = i == j;
          if (!covered && !(far > reach[i] + margin)) {
            covered = far < reach[i] - margin ||
                      squared_distance(mine, rows.data() + j * rows.outerStride(), rows.cols()) <=
                          reach[i];
          }
          bits(i, j / kBits) |= static_cast<std::uint64_t>(covered) << (j % kBits);
        }
      });
    });
  });
  return bits;
}

struct Candidate {
  Index gain, row;

  bool operator<(const Candidate& other) const {  // the better one is the greater
    return gain != other.gain ? gain < other.gain : row > other.row;
  }
};

}  // namespace

std::vector<Index> greedy_cover(const MatrixView& rows, const Vector& reach) {
  const Index n = rows.rows();
  TYTO_ASSERT(reach.size() == n);
  if (n == 0) {
    return {};
  }
  const Bits bits = coverage(rows, reach);
  std::vector<std::uint64_t> open(static_cast<std::size_t>(bits.cols()), ~std::uint64_t{0});
  const auto gain = [&](Index i) {
    Index sum = 0;
    for (Index w = 0; w < bits.cols(); ++w) {
      sum += std::popcount(bits(i, w) & open[static_cast<std::size_t>(w)]);
    }
    return sum;
  };
  std::priority_queue<Candidate> queue;
  for (Index i = 0; i < n; ++i) {
    queue.push({gain(i), i});
  }
  // A gain only shrinks as rows are covered: a stale one is an upper bound, so whoever still leads
  // after counting again is the best.
  std::vector<Index> picked;
  for (Index left = n; left > 0;) {
    const Candidate top{gain(queue.top().row), queue.top().row};
    queue.pop();
    if (!queue.empty() && top < queue.top()) {
      queue.push(top);
      continue;
    }
    picked.push_back(top.row);
    left -= top.gain;
    for (Index w = 0; w < bits.cols(); ++w) {
      open[static_cast<std::size_t>(w)] &= ~bits(top.row, w);
    }
  }
  return picked;
}

}  // namespace tyto
