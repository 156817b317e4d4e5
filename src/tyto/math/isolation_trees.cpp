// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/isolation_trees.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr Index kRowsAtOnce = 64;  // share the nodes of a tree while they are near

}  // namespace

double mean_cuts(Index n) {
  if (n <= 2) {
    return n == 2 ? 1.0 : 0.0;
  }
  const auto m = static_cast<double>(n - 1);
  return 2.0 * (std::log(m) + std::numbers::egamma) - 2.0 * m / static_cast<double>(n);
}

// Grows one tree, depth first; children stand side by side.
class TreeGrowth {
 public:
  TreeGrowth(const MatrixView& rows, std::vector<Index> sample, Index deepest, Rng rng)
      : rows_(rows), sample_(std::move(sample)), deepest_(deepest), rng_(rng) {
    columns_.resize(at(rows.cols()));
    nodes.emplace_back();
    grow(0, 0, std::ssize(sample_), 0);
  }

  std::vector<IsolationTrees::Node> nodes;

 private:
  void grow(std::size_t node, Index begin, Index end, Index depth) {
    const auto [column, low, high] =
        depth < deepest_ && end - begin > 1 ? drawn_column(begin, end) : Cut{-1, 0.0F, 0.0F};
    if (column < 0) {
      nodes[node].bar = static_cast<float>(static_cast<double>(depth) + mean_cuts(end - begin));
      return;
    }
    auto bar = static_cast<float>(low + rng_.uniform() * (static_cast<double>(high) - low));
    if (!(bar < high)) {  // rounded up: the greatest row would not be set apart
      bar = low;
    }
    const auto first = sample_.begin() + begin;
    const auto middle = std::stable_partition(first, sample_.begin() + end,
                                              [&](Index row) { return rows_(row, column) <= bar; });
    const Index cut = begin + (middle - first);
    const std::size_t left = nodes.size();
    nodes[node] = {static_cast<std::int32_t>(column), static_cast<std::int32_t>(left), bar};
    nodes.resize(left + 2);
    grow(left, begin, cut, depth + 1);
    grow(left + 1, cut, end, depth + 1);
  }

  struct Cut {
    Index column;
    float low, high;
  };

  // Any column that tells the rows apart, each with the same chance: drawn without putting back
  // until one does. -1: the rows are all alike.
  Cut drawn_column(Index begin, Index end) {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      columns_[j] = static_cast<Index>(j);
    }
    for (Index left = std::ssize(columns_); left > 0; --left) {
      std::swap(columns_[at(rng_.below(left))], columns_[at(left - 1)]);
      const Index column = columns_[at(left - 1)];
      float low = rows_(sample_[at(begin)], column);
      float high = low;
      for (Index i = begin + 1; i < end; ++i) {
        const float value = rows_(sample_[at(i)], column);
        low = std::min(low, value);
        high = std::max(high, value);
      }
      if (low < high) {
        return {column, low, high};
      }
    }
    return {-1, 0.0F, 0.0F};
  }

  const MatrixView& rows_;
  std::vector<Index> sample_;
  Index deepest_;
  Rng rng_;
  std::vector<Index> columns_;
};

IsolationTrees::IsolationTrees(const MatrixView& rows,
                               const std::vector<std::vector<Index>>& samples, const Rng& rng)
    : width_(rows.cols()) {
  for (const std::vector<Index>& sample : samples) {
    sample_ = std::max(sample_, std::ssize(sample));
  }
  Index deepest = 0;
  while ((Index{1} << deepest) < sample_) {
    ++deepest;
  }
  std::vector<std::vector<Node>> grown(samples.size());
  for_each_index(std::ssize(samples), [&](Index t) {
    TreeGrowth tree(rows, samples[at(t)], deepest, rng.fork("tree", static_cast<std::uint64_t>(t)));
    grown[at(t)] = std::move(tree.nodes);
  });
  for (const std::vector<Node>& tree : grown) {
    roots_.push_back(std::ssize(nodes_));
    nodes_.insert(nodes_.end(), tree.begin(), tree.end());
  }
}

Vector IsolationTrees::scores(const MatrixView& rows) const {
  Vector out(rows.rows());
  const double scale =
      1.0 / (std::max(mean_cuts(sample_), 1.0) * static_cast<double>(std::max<Index>(1, trees())));
  for_each_index((rows.rows() + kRowsAtOnce - 1) / kRowsAtOnce, [&](Index block) {
    const Index begin = block * kRowsAtOnce;
    const Index count = std::min(kRowsAtOnce, rows.rows() - begin);
    std::array<double, kRowsAtOnce> path{};
    for (const std::int64_t root : roots_) {
      const Node* tree = nodes_.data() + root;
      for (Index i = 0; i < count; ++i) {
        const float* row = rows.data() + (begin + i) * rows.outerStride();
        const Node* node = tree;
        while (node->column >= 0) {
          node = tree + node->left + static_cast<int>(row[node->column] > node->bar);
        }
        path[at(i)] += static_cast<double>(node->bar);
      }
    }
    for (Index i = 0; i < count; ++i) {
      out[begin + i] = static_cast<float>(std::exp2(-path[at(i)] * scale));
    }
  });
  return out;
}

void IsolationTrees::save(State& state) const {
  Dense<std::int32_t> branches(std::ssize(nodes_), 2);
  Matrix bars(std::ssize(nodes_), 1);
  for (Index i = 0; i < bars.rows(); ++i) {
    const Node& node = nodes_[at(i)];
    branches.row(i) << node.column, node.left;
    bars(i, 0) = node.bar;
  }
  state.set("branches", std::move(branches));
  state.set("bars", std::move(bars));
  state.set("roots", std::vector<std::int64_t>(roots_));
  state.set("sample", std::int64_t{sample_});
  state.set("width", std::int64_t{width_});
}

void IsolationTrees::load(const State& state) {
  const auto& branches = state.get<Dense<std::int32_t>>("branches");
  const auto& bars = state.get<Matrix>("bars");
  nodes_.assign(at(bars.rows()), {});
  for (Index i = 0; i < bars.rows(); ++i) {
    nodes_[at(i)] = {branches(i, 0), branches(i, 1), bars(i, 0)};
  }
  roots_ = state.get<std::vector<std::int64_t>>("roots");
  sample_ = state.get<std::int64_t>("sample");
  width_ = state.get<std::int64_t>("width");
}

}  // namespace tyto
