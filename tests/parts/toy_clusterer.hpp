// SPDX-License-Identifier: Apache-2.0
// Clusterers with obvious answers, for testing who builds on one.
#pragma once

#include <cmath>

#include "tyto/cluster/clusterer.hpp"

namespace tyto {

// The first half of the rows and the second; remembers how many rows each call brought.
class HalvesClusterer final : public Clusterer {
 public:
  [[nodiscard]] Partitions cluster(const ClusterTask& task, Work&) const override {
    sizes_.push_back(task.rows.rows());
    Grouping groups;
    for (Index i = 0; i < task.rows.rows(); ++i) {
      groups.push_back(2 * i < task.rows.rows() ? 0 : 1);
    }
    return {{groups}, 0, {}};
  }

  [[nodiscard]] const std::vector<Index>& sizes() const { return sizes_; }

 private:
  mutable std::vector<Index> sizes_;
};

// A new group wherever the first column jumps by more than `gap` from the row before.
class FarApartClusterer final : public Clusterer {
 public:
  explicit FarApartClusterer(float gap) : gap_(gap) {}

  [[nodiscard]] Partitions cluster(const ClusterTask& task, Work&) const override {
    Grouping groups;
    for (Index i = 0; i < task.rows.rows(); ++i) {
      const bool jump = i > 0 && std::abs(task.rows(i, 0) - task.rows(i - 1, 0)) > gap_;
      groups.push_back(i == 0 ? 0 : groups.back() + (jump ? 1 : 0));
    }
    return {{groups}, 0, {}};
  }

 private:
  float gap_;
};

}  // namespace tyto
