// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/first_neighbours.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>

#include "tyto/cluster/block_products.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr Index kMeasuredBlock = 512;
constexpr Index kChunk = 32;
constexpr Index kFarBlock = 1024;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Best {
  double distance = std::numeric_limits<double>::infinity();
  std::int32_t row = -1;

  [[nodiscard]] bool is_beaten_by(double other, std::int32_t by) const {
    return other < distance || (other == distance && (by < row || row < 0));
  }

  void offer(double other, std::int32_t by) {
    if (is_beaten_by(other, by)) {
      distance = other;
      row = by;
    }
  }
};

constexpr Index kBlock = BlockProducts<float>::kBlock;

// The nearest of a block of rows as one task sees them, with the limits beyond which a product
// rules out: norm' - 2 product > limit.
struct Side {
  Index begin = 0, count = 0;
  float widest = 0.0F;  // greatest norm of the other side
  std::array<Best, kBlock> best;
  std::array<float, kBlock> limit{};
};

// Tasks are pairs of blocks on and above the diagonal. Each works on copies of what is known so far
// and merges what it found: the least of (distance, row) does not depend on the order.
template <class T>
class TriangleSearch {
 public:
  explicit TriangleSearch(const RowDistance<T>& distance)
      : distance_(distance),
        products_(distance),
        best_(static_cast<std::size_t>(distance.rows())),
        blocks_(products_.blocks()),
        locks_(static_cast<std::size_t>(blocks_)),
        widest_(static_cast<std::size_t>(blocks_)) {
    for (Index b = 0; b < blocks_; ++b) {
      widest_[static_cast<std::size_t>(b)] =
          products_.norms().segment(b * kBlock, products_.size(b)).maxCoeff();
    }
  }

  std::vector<Best> run(const Pulse& pulse) {
    const Index tasks = blocks_ * (blocks_ + 1) / 2;
    std::atomic<Index> next = 0;
    const Index workers = blocks_ > 1 ? thread_count() : 1;
    share_loop(workers, tasks > 1 ? tasks * kBlock * kBlock : 0, [&](Index worker) {
      Matrix products;
      Side rows;
      Side columns;
      Index upper = 0;  // row of blocks
      Index first = 0;  // task of its diagonal
      try {
        for (Index task = next++; task < tasks; task = next++) {
          for (; task >= first + blocks_ - upper; ++upper) {
            first += blocks_ - upper;
          }
          search(upper, upper + task - first, products, rows, columns);
          if (worker == 0 && pulse) {
            pulse(static_cast<double>(task + 1) / static_cast<double>(tasks));
          }
        }
        if (worker == 0 && pulse) {
          pulse(1.0);  // the others may have done everything before it began
        }
      } catch (...) {
        next = tasks;
        throw;
      }
    });
    return std::move(best_);
  }

 private:
  // The limit of the row at `at` for candidates from row `from` on. A row that has an equal one
  // before them cannot do better; nor can a zero row, whose distances are all 1.
  [[nodiscard]] float limit(const Side& side, Index at, Index from) const {
    const Best& best = side.best[static_cast<std::size_t>(at)];
    if (best.row >= 0 && best.row < from &&
        (best.distance == 0.0 || distance_.is_zero(side.begin + at))) {
      return -kInfinity;
    }
    const float norm = products_.norms()[side.begin + at];
    const ProductFrame& frame = products_.frame();
    return frame.squared(best.distance) - norm + frame.margin(norm, side.widest);
  }

  void take(Side& side, Index block, Index other) {
    side.begin = block * kBlock;
    side.count = products_.size(block);
    side.widest = widest_[static_cast<std::size_t>(other)];
    const std::scoped_lock lock(locks_[static_cast<std::size_t>(block)]);
    std::copy_n(best_.begin() + side.begin, side.count, side.best.begin());
  }

  void merge(const Side& side, Index block) {
    const std::scoped_lock lock(locks_[static_cast<std::size_t>(block)]);
    for (Index i = 0; i < side.count; ++i) {
      const Best& found = side.best[static_cast<std::size_t>(i)];
      if (found.row >= 0) {
        best_[static_cast<std::size_t>(side.begin + i)].offer(found.distance, found.row);
      }
    }
  }

  void search(Index upper, Index right, Matrix& products, Side& rows, Side& columns) {
    take(rows, upper, right);
    take(columns, right, upper);
    products_.bound(upper, right, products);
    for (Index j = 0; j < columns.count; ++j) {
      columns.limit[static_cast<std::size_t>(j)] = limit(columns, j, rows.begin);
    }
    Index measured = 0;
    for (Index i = 0; i < rows.count; ++i) {
      const Index begin = upper == right ? i + 1 : 0;
      rows.limit[static_cast<std::size_t>(i)] = limit(rows, i, columns.begin + begin);
      measured += scan(i, begin, &products(i, 0), rows, columns);
    }
    products_.heed(rows.count * columns.count, measured);
    merge(rows, upper);
    merge(columns, right);
  }

  // Returns how many pairs were measured.
  Index scan(Index i, Index begin, const float* product, Side& rows, Side& columns) {
    const float norm = products_.norms()[rows.begin + i];
    const float* norms = products_.norms().data() + columns.begin;
    Index measured = 0;
    const float* far = columns.limit.data();
    const float& row_far = rows.limit[static_cast<std::size_t>(i)];
    // Not (x > limit) rather than x <= limit: what is no number is measured, not skipped.
    const auto measure = [&](Index j) {
      if (norms[j] + product[j] > row_far && norm + product[j] > far[j]) {
        return;
      }
      ++measured;
      const Index row = rows.begin + i;
      const Index column = columns.begin + j;
      const double distance = distance_(row, column);
      rows.best[static_cast<std::size_t>(i)].offer(distance, static_cast<std::int32_t>(column));
      columns.best[static_cast<std::size_t>(j)].offer(distance, static_cast<std::int32_t>(row));
      rows.limit[static_cast<std::size_t>(i)] = limit(rows, i, column + 1);
      columns.limit[static_cast<std::size_t>(j)] = limit(columns, j, row + 1);
    };
    Index j = begin;
    for (; j + kChunk <= columns.count; j += kChunk) {
      const float now = row_far;
      int near = 0;
      for (Index l = j; l < j + kChunk; ++l) {
        near |= static_cast<int>(!(norms[l] + product[l] > now)) |
                static_cast<int>(!(norm + product[l] > far[l]));
      }
      for (Index l = j; near != 0 && l < j + kChunk; ++l) {
        measure(l);
      }
    }
    for (; j < columns.count; ++j) {
      measure(j);
    }
    return measured;
  }

  const RowDistance<T>& distance_;
  BlockProducts<T> products_;
  std::vector<Best> best_;
  Index blocks_;
  std::vector<std::mutex> locks_;
  std::vector<float> widest_;
};

template <class T>
std::vector<Best> by_measuring(const RowDistance<T>& distance, const Pulse& pulse) {
  const Index n = distance.rows();
  std::vector<Best> best(static_cast<std::size_t>(n));
  in_blocks(n, kMeasuredBlock, [&](Index begin, Index count) {
    share_loop(count, n, [&](Index i) {
      const Index row = begin + i;
      Best found;
      for (Index j = 0; j < n && found.distance > 0.0; ++j) {
        if (j != row) {
          found.offer(distance(row, j), static_cast<std::int32_t>(j));
        }
      }
      best[static_cast<std::size_t>(row)] = found;
    });
    if (pulse) {
      pulse(static_cast<double>(begin + count) / static_cast<double>(n));
    }
  });
  return best;
}

}  // namespace

template <class T>
FirstNeighbours first_neighbours(const RowDistance<T>& distance, const Pulse& pulse) {
  const std::vector<Best> best = distance.has_products() ? TriangleSearch<T>(distance).run(pulse)
                                                         : by_measuring(distance, pulse);
  FirstNeighbours out;
  for (const Best& each : best) {
    out.row.push_back(each.row);
    out.distance.push_back(each.distance);
  }
  return out;
}

template <class T>
double farthest_pair(const RowDistance<T>& distance, std::span<const std::int32_t> these,
                     double floor) {
  const Index n = std::ssize(these);
  const auto measured = [&](Index i, Index j) {
    return distance(these[static_cast<std::size_t>(i)], these[static_cast<std::size_t>(j)]);
  };
  if (!distance.has_products()) {
    for (Index i = 0; i < n; ++i) {
      for (Index j = i + 1; j < n; ++j) {
        floor = std::max(floor, measured(i, j));
      }
    }
    return floor;
  }
  const ProductRows points = distance.product_rows(these);
  const float widest = n > 0 ? points.norms.maxCoeff() : 0.0F;
  Matrix products;
  in_blocks(n, kFarBlock, [&](Index top, Index height) {
    in_blocks(n - top, kFarBlock, [&](Index left, Index width) {
      left += top;
      products.resize(height, width);
      products.noalias() = (-2.0F * points.rows.middleRows(top, height)) *
                           points.rows.middleRows(left, width).transpose();
      std::vector<double> most(static_cast<std::size_t>(height), floor);
      for_each_index(height, [&](Index i) {
        double& found = most[static_cast<std::size_t>(i)];
        const float norm = points.norms[top + i];
        for (Index j = std::max<Index>(0, top + i + 1 - left); j < width; ++j) {
          const float square = norm + points.norms[left + j] + products(i, j);
          if (!(square + points.frame.margin(norm, widest) <
                points.frame.squared(found) * (1.0F - 4e-6F))) {
            found = std::max(found, measured(top + i, left + j));
          }
        }
      });
      floor = std::max(floor, *std::max_element(most.begin(), most.end()));
    });
  });
  return floor;
}

template FirstNeighbours first_neighbours(const RowDistance<float>&, const Pulse&);
template FirstNeighbours first_neighbours(const RowDistance<double>&, const Pulse&);
template double farthest_pair(const RowDistance<float>&, std::span<const std::int32_t>, double);
template double farthest_pair(const RowDistance<double>&, std::span<const std::int32_t>, double);

}  // namespace tyto
