// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/first_links.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "tyto/cluster/group_members.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr std::size_t kFew = 128;  // followers beyond which products pay

bool is_mutual(const FirstNeighbours& first, Index i) {
  return first.row[at(first.row[at(i)])] == i;
}

double weight_of(const FirstNeighbours& first, Index i, LinkWeight weight) {
  return weight == LinkWeight::shared && is_mutual(first, i) ? 2.0 : 1.0;
}

void raise(std::atomic<double>& most, double value) {
  double now = most.load();
  while (now < value && !most.compare_exchange_weak(now, value)) {
  }
}

class Components {
 public:
  explicit Components(Index n) : parent_(at(n)) { std::iota(parent_.begin(), parent_.end(), 0); }

  void join(std::int32_t a, std::int32_t b) {
    a = root(a);
    b = root(b);
    parent_[at(std::max(a, b))] = std::min(a, b);
  }

  Grouping groups() {
    std::vector<std::int32_t> roots(parent_.size());
    for (std::size_t i = 0; i < roots.size(); ++i) {
      roots[i] = root(static_cast<std::int32_t>(i));
    }
    return numbered(roots);
  }

 private:
  std::int32_t root(std::int32_t i) {
    while (parent_[at(i)] != i) {
      i = parent_[at(i)] = parent_[at(parent_[at(i)])];
    }
    return i;
  }

  std::vector<std::int32_t> parent_;
};

// Followers that may be in a pair longer than `floor`, farthest from the hub first. Those equal to
// the hub are as far from the others as it is, which is known.
template <class T>
std::vector<std::int32_t> far_followers(const RowDistance<T>& distance,
                                        const FirstNeighbours& first, Index hub,
                                        std::span<const std::int32_t> followers, double floor) {
  double longest = 0.0;
  for (const std::int32_t i : followers) {
    longest = std::max(longest, first.distance[at(i)]);
  }
  std::vector<std::int32_t> far;
  for (const std::int32_t i : followers) {
    const double own = first.distance[at(i)];
    if (!distance.is_zero(i) && distance.farthest(own, longest) > distance.chord(floor) &&
        !(own == 0.0 && distance.is_same(i, hub))) {
      far.push_back(i);
    }
  }
  std::stable_sort(far.begin(), far.end(), [&](std::int32_t a, std::int32_t b) {
    return first.distance[at(a)] > first.distance[at(b)];
  });
  return far;
}

template <class T>
void measure_pairs(const RowDistance<T>& distance, const FirstNeighbours& first,
                   const std::vector<std::int32_t>& far, std::atomic<double>& most) {
  for (std::size_t i = 0; i < far.size(); ++i) {
    for (std::size_t j = i + 1; j < far.size(); ++j) {
      if (distance.farthest(first.distance[at(far[i])], first.distance[at(far[j])]) <=
          distance.chord(most.load(std::memory_order_relaxed))) {
        break;  // those after it are nearer still
      }
      raise(most, distance(far[i], far[j]));
    }
  }
}

}  // namespace

template <class T>
double longest_link(const RowDistance<T>& distance, const FirstNeighbours& first,
                    LinkWeight weight) {
  std::atomic<double> most = 0.0;
  const Index n = distance.rows();
  const GroupMembers followers(first.row, n);
  for (Index i = 0; i < n; ++i) {
    raise(most, weight_of(first, i, weight) * first.distance[at(i)]);
    if (distance.is_zero(i) && followers.of(first.row[at(i)]).size() > 1) {
      raise(most, 1.0);
    }
  }
  share_loop(n, 256, [&](Index hub) {
    if (const auto all = followers.of(hub); all.size() > 1) {
      const auto far = far_followers(distance, first, hub, all, most);
      if (far.size() <= kFew) {
        measure_pairs(distance, first, far, most);
      }
    }
  });
  for (Index hub = 0; hub < n; ++hub) {
    if (const auto all = followers.of(hub); all.size() > kFew) {
      const auto far = far_followers(distance, first, hub, all, most);
      if (far.size() > kFew) {
        most = farthest_pair(distance, far, most);
      } else {
        measure_pairs(distance, first, far, most);
      }
    }
  }
  return most;
}

template <class T>
Grouping linked_groups(const RowDistance<T>& distance, const FirstNeighbours& first, double cut,
                       LinkWeight weight) {
  const Index n = distance.rows();
  Components components(n);
  const GroupMembers followers(first.row, n);
  for (Index i = 0; i < n; ++i) {
    const std::int32_t own = static_cast<std::int32_t>(i);
    const std::int32_t other = first.row[at(i)];
    if (other < 0) {
      continue;
    }
    const double length = std::isfinite(cut) ? first.distance[at(i)] : 0.0;
    if (weight_of(first, i, weight) * length <= cut) {
      components.join(own, other);
    } else if (length <= cut) {
      // The mutual pair is cut, yet a follower of the other may hold both together: it is linked
      // to this row by the neighbour they share.
      for (const std::int32_t follower : followers.of(other)) {
        if (follower != own && first.distance[at(follower)] <= cut &&
            distance(own, follower) <= cut) {
          components.join(own, other);
          components.join(own, follower);
          break;
        }
      }
    }
  }
  return components.groups();
}

template double longest_link(const RowDistance<float>&, const FirstNeighbours&, LinkWeight);
template double longest_link(const RowDistance<double>&, const FirstNeighbours&, LinkWeight);
template Grouping linked_groups(const RowDistance<float>&, const FirstNeighbours&, double,
                                LinkWeight);
template Grouping linked_groups(const RowDistance<double>&, const FirstNeighbours&, double,
                                LinkWeight);

}  // namespace tyto
