// SPDX-License-Identifier: Apache-2.0
// Groups merged two by two, the closest means first, until as many are left as were asked for.
#include <algorithm>
#include <limits>

#include "tyto/cluster/first_neighbours.hpp"
#include "tyto/cluster/group_means.hpp"
#include "tyto/cluster/group_members.hpp"
#include "tyto/core/heed_interrupts.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

// The nearest other group of each is kept. Where it is lost in a merge the old distance remains as
// a bound, and the search waits until that bound is the least of all.
class ClosestPairs {
 public:
  ClosestPairs(const MatrixView& rows, const Grouping& groups, Metric metric, bool timed)
      : means_(group_means(rows, groups)),
        distance_(means_, metric, timed),
        count_(at(means_.rows()), 0.0),
        into_(count_.size()),
        alive_(count_.size()),
        near_(first_neighbours(distance_)) {
    for (const std::int32_t group : groups) {
      count_[at(group)] += 1.0;
    }
    for (std::size_t g = 0; g < into_.size(); ++g) {
      into_[g] = alive_[g] = static_cast<std::int32_t>(g);
    }
  }

  [[nodiscard]] Index left() const { return std::ssize(alive_); }

  void merge_one() {
    std::int32_t first = least_bound();
    for (; near_.row[at(first)] < 0; first = least_bound()) {
      search(first);
    }
    merge(std::min(first, near_.row[at(first)]), std::max(first, near_.row[at(first)]));
  }

  [[nodiscard]] Grouping groups(const Grouping& before) const {
    Grouping out;
    for (std::int32_t group : before) {
      while (into_[at(group)] != group) {
        group = into_[at(group)];
      }
      out.push_back(group);
    }
    return numbered(out);
  }

 private:
  [[nodiscard]] std::int32_t least_bound() const {
    return *std::min_element(alive_.begin(), alive_.end(), [&](std::int32_t a, std::int32_t b) {
      return near_.distance[at(a)] < near_.distance[at(b)];
    });
  }

  // From `group` to each that is alive.
  [[nodiscard]] std::vector<double> distances_from(std::int32_t group) const {
    std::vector<double> out(alive_.size(), std::numeric_limits<double>::infinity());
    share_loop(std::ssize(alive_), means_.cols(), [&](Index a) {
      if (alive_[at(a)] != group) {
        out[at(a)] = distance_(group, alive_[at(a)]);
      }
    });
    return out;
  }

  void search(std::int32_t group) { set_nearest(group, distances_from(group)); }

  void set_nearest(std::int32_t group, const std::vector<double>& distances) {
    const auto least = std::min_element(distances.begin(), distances.end());
    near_.distance[at(group)] = *least;
    std::int32_t found = alive_[at(least - distances.begin())];
    if (found == group) {  // all are infinitely far
      found = alive_.front() == group ? alive_.back() : alive_.front();
    }
    near_.row[at(group)] = found;
  }

  void merge(std::int32_t low, std::int32_t high) {
    const double both = count_[at(low)] + count_[at(high)];
    means_.row(low) =
        (means_.row(low) * count_[at(low)] + means_.row(high) * count_[at(high)]) / both;
    count_[at(low)] = both;
    into_[at(high)] = low;
    alive_.erase(std::lower_bound(alive_.begin(), alive_.end(), high));
    distance_.refresh(low);
    if (alive_.size() < 2) {
      return;
    }
    const std::vector<double> to_new = distances_from(low);
    for (std::size_t a = 0; a < alive_.size(); ++a) {
      const std::int32_t other = alive_[a];
      if (other == low) {
        continue;
      }
      std::int32_t& row = near_.row[at(other)];
      double& bound = near_.distance[at(other)];
      if (row == low || row == high) {
        row = -1;
      }
      if (to_new[a] < bound || (row > low && to_new[a] == bound)) {
        bound = to_new[a];
        row = low;
      }
    }
    set_nearest(low, to_new);
  }

  Dense<double> means_;
  RowDistance<double> distance_;
  std::vector<double> count_;
  std::vector<std::int32_t> into_, alive_;  // alive: ascending
  FirstNeighbours near_;                    // row -1: only a bound is known
};

}  // namespace

Grouping merge_closest(const MatrixView& rows, const Grouping& groups, Index count, Metric metric,
                       bool timed) {
  ClosestPairs pairs(rows, groups, metric, timed);
  while (pairs.left() > std::max<Index>(count, 1)) {
    heed_interrupts();
    pairs.merge_one();
  }
  return pairs.groups(groups);
}

}  // namespace tyto
