// SPDX-License-Identifier: Apache-2.0
// Random trees that cut rows apart: what few cuts set aside is unusual (Liu, Ting & Zhou, Isolation
// Forest, ICDM 2008).
#pragma once

#include <cstdint>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/random.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

// c(n), the mean number of cuts that an unsuccessful search in a binary tree of n rows takes.
double mean_cuts(Index n);

class IsolationTrees {
 public:
  IsolationTrees() = default;

  // One tree on each list of rows. Tree t draws from a stream of its own, so that neither the
  // number of threads nor the other trees matter. No tree is deeper than ceil(log2(sample)), with
  // `sample` the rows of the longest list.
  IsolationTrees(const MatrixView& rows, const std::vector<std::vector<Index>>& samples,
                 const Rng& rng);

  [[nodiscard]] Index trees() const { return static_cast<Index>(roots_.size()); }

  [[nodiscard]] Index width() const { return width_; }

  // 2^(-mean path / c(sample)), in (0, 1], higher is easier to set aside. The same number for a row
  // whatever stands around it. O(n trees log(sample)).
  [[nodiscard]] Vector scores(const MatrixView& rows) const;

  void save(State& state) const;
  void load(const State& state);

 private:
  struct Node {
    std::int32_t column = -1;  // -1: a leaf
    std::int32_t left = 0;     // the right one follows it
    float bar = 0;             // left: at most this; of a leaf its path, c of its rows included
  };

  friend class TreeGrowth;

  std::vector<Node> nodes_;          // tree by tree
  std::vector<std::int64_t> roots_;  // where each tree begins
  Index sample_ = 0, width_ = 0;
};

}  // namespace tyto
