// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/assignment.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tyto {

namespace {

using Cost = std::int64_t;

constexpr Index kNone = -1;

// Rows <= columns. Every column has a price <= 0, which stays 0 until the column is taken; a taken
// column never becomes free again. Each paired row stands at a column whose cost less price is
// least in that row: hence the pairs are the cheapest for the rows paired so far.
template <class Cell>
class Pairing {
 public:
  explicit Pairing(const Dense<Cell>& cost)
      : cost_(cost),
        price_(at(cost.cols()), 0),
        column_of_(at(cost.rows()), kNone),
        row_of_(at(cost.cols()), kNone),
        distance_(at(cost.cols())),
        before_(at(cost.cols())),
        order_(at(cost.cols())) {}

  std::vector<Index> solve() {
    std::vector<Index> waiting = take_cheapest();
    if (cost_.cols() > 1) {
      for (int round = 0; round < 2; ++round) {
        waiting = outbid(waiting);
      }
    }
    for (const Index row : waiting) {
      augment(row);
    }
    return std::move(column_of_);
  }

 private:
  // Each row takes its cheapest column if that is free. Returns those that went without.
  std::vector<Index> take_cheapest() {
    std::vector<Index> waiting;
    for (Index row = 0; row < cost_.rows(); ++row) {
      const Cell* cost = cost_.row(row).data();
      const Index best = std::min_element(cost, cost + cost_.cols()) - cost;
      if (row_of_[at(best)] == kNone) {
        pair(row, best);
      } else {
        waiting.push_back(row);
      }
    }
    return waiting;
  }

  // Each waiting row takes its cheapest column and lowers the price so far that the second
  // cheapest is as good; who stood there looks for another. Returns those still waiting.
  std::vector<Index> outbid(std::vector<Index> waiting) {
    std::vector<Index> later;
    Index turns = 2 * cost_.rows();  // small steps of price are left to the paths
    for (std::size_t next = 0; next < waiting.size();) {
      const Index row = waiting[next];
      const Cell* cost = cost_.row(row).data();
      Cost least = std::numeric_limits<Cost>::max();
      Cost second = least;
      Index best = kNone;
      Index other = kNone;
      for (Index j = 0; j < cost_.cols(); ++j) {
        const Cost here = cost[j] - price_[at(j)];
        if (here < least) {
          second = std::exchange(least, here);
          other = std::exchange(best, j);
        } else if (here < second) {
          second = here;
          other = j;
        }
      }
      if (least < second) {
        price_[at(best)] -= second - least;
      } else if (row_of_[at(best)] != kNone) {
        best = other;
      }
      const Index ousted = row_of_[at(best)];
      pair(row, best);
      if (ousted == kNone) {
        ++next;
      } else if (least < second && turns-- > 0) {
        waiting[next] = ousted;
      } else {
        later.push_back(ousted);
        ++next;
      }
    }
    return later;
  }

  // Pairs one more row along the cheapest path that alternates between free and taken pairs.
  // order_ holds the columns: reached for good, at the present distance, further away.
  void augment(Index start) {
    const Index n = cost_.cols();
    std::iota(order_.begin(), order_.end(), Index{0});
    for (Index j = 0; j < n; ++j) {
      distance_[at(j)] = cost_(start, j) - price_[at(j)];
      before_[at(j)] = start;
    }
    Index done = 0;
    Index near = 0;
    Index settled = 0;  // columns of a smaller distance than the present one
    Cost present = 0;
    Index end = kNone;
    while (end == kNone) {
      if (done == near) {
        settled = done;
        present = gather_nearest(near);
        for (Index k = done; k < near && end == kNone; ++k) {
          end = row_of_[at(order_[at(k)])] == kNone ? order_[at(k)] : kNone;
        }
      }
      if (end == kNone) {
        end = scan(order_[at(done++)], present, near);
      }
    }
    for (Index k = 0; k < settled; ++k) {
      const auto j = at(order_[at(k)]);
      price_[j] += distance_[j] - present;
    }
    while (true) {
      const Index row = before_[at(end)];
      row_of_[at(end)] = row;
      std::swap(column_of_[at(row)], end);
      if (row == start) {
        return;
      }
    }
  }

  // Puts the nearest of the columns from `near` on there, moves `near` behind them; their distance.
  Cost gather_nearest(Index& near) {
    const Index first = near;
    Cost least = std::numeric_limits<Cost>::max();
    for (Index k = first; k < cost_.cols(); ++k) {
      const Cost here = distance_[at(order_[at(k)])];
      if (here > least) {
        continue;
      }
      if (here < least) {
        near = first;
        least = here;
      }
      std::swap(order_[at(k)], order_[at(near++)]);
    }
    return least;
  }

  // Looks for shorter ways by the row that holds `column`; a free column at the present distance.
  Index scan(Index column, Cost present, Index& near) {
    const Index row = row_of_[at(column)];
    const Cell* cost = cost_.row(row).data();
    const Cost offset = present - (cost[column] - price_[at(column)]);
    for (Index k = near; k < cost_.cols(); ++k) {
      const Index j = order_[at(k)];
      const Cost here = cost[j] - price_[at(j)] + offset;
      if (here >= distance_[at(j)]) {
        continue;
      }
      distance_[at(j)] = here;
      before_[at(j)] = row;
      if (here == present) {
        if (row_of_[at(j)] == kNone) {
          return j;
        }
        std::swap(order_[at(k)], order_[at(near++)]);
      }
    }
    return kNone;
  }

  void pair(Index row, Index column) {
    if (row_of_[at(column)] != kNone) {
      column_of_[at(row_of_[at(column)])] = kNone;
    }
    row_of_[at(column)] = row;
    column_of_[at(row)] = column;
  }

  const Dense<Cell>& cost_;
  std::vector<Cost> price_;
  std::vector<Index> column_of_, row_of_;
  std::vector<Cost> distance_;  // of the path that is looked for
  std::vector<Index> before_, order_;
};

template <class Cell>
std::vector<Index> pairs_of_least_cost(const Dense<Cell>& cost) {
  if (cost.rows() <= cost.cols()) {
    return cost.size() == 0 ? std::vector<Index>(at(cost.rows()), kNone)
                            : Pairing<Cell>(cost).solve();
  }
  std::vector<Index> column_of(at(cost.rows()), kNone);
  const std::vector<Index> row_of = pairs_of_least_cost<Cell>(cost.transpose());
  for (std::size_t j = 0; j < row_of.size(); ++j) {
    column_of[at(row_of[j])] = static_cast<Index>(j);
  }
  return column_of;
}

}  // namespace

std::vector<Index> least_cost_pairs(const Dense<std::int64_t>& cost) {
  return pairs_of_least_cost(cost);
}

std::vector<Index> least_cost_pairs_of_small(const Dense<std::int32_t>& cost) {
  return pairs_of_least_cost(cost);
}

}  // namespace tyto
