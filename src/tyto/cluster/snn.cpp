// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/snn.hpp"

#include <algorithm>
#include <utility>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

Index common(const std::int32_t* a, const std::int32_t* b, Index n) {  // of two ascending lists
  Index shared = 0;
  for (Index i = 0, j = 0; i < n && j < n;) {
    shared += a[i] == b[j] ? 1 : 0;
    const bool step_a = a[i] <= b[j];
    j += a[i] >= b[j] ? 1 : 0;
    i += step_a ? 1 : 0;
  }
  return shared;
}

}  // namespace

Dense<std::int32_t> near_rows(const MatrixView& rows, Index k) {
  const Index n = rows.rows();
  const Index columns = std::min(k, std::max(n - 1, Index{0}));
  Dense<std::int32_t> near(n, columns);
  if (columns == 0) {
    return near;
  }
  const Neighbours found = nearest_rows(rows, rows, columns + 1);
  for (Index i = 0; i < n; ++i) {
    // Among many equal rows a row may not be among its own nearest: then the last is left out.
    Index filled = 0;
    for (Index j = 0; j <= columns && filled < columns; ++j) {
      if (found.row(i, j) != i) {
        near(i, filled++) = found.row(i, j);
      }
    }
  }
  return near;
}

WeightedGraph shared_neighbour_graph(const Dense<std::int32_t>& near) {
  const Index n = near.rows();
  const Index k = near.cols();
  Dense<std::int32_t> sorted(n, k + 1);
  for_each_index(n, [&](Index i) {
    sorted.row(i) << static_cast<std::int32_t>(i), near.row(i);
    std::sort(&sorted(i, 0), &sorted(i, 0) + k + 1);
  });
  std::vector<GraphEdge> edges(static_cast<std::size_t>(n * k));
  for_each_index(n, [&](Index i) {
    for (Index j = 0; j < k; ++j) {
      const Index to = near(i, j);
      TYTO_ASSERT(to >= 0 && to < n && to != i);
      const Index shared = common(&sorted(i, 0), &sorted(to, 0), k + 1);
      edges[static_cast<std::size_t>(i * k + j)] = {
          static_cast<std::int32_t>(std::min(i, to)), static_cast<std::int32_t>(std::max(i, to)),
          static_cast<double>(shared) / static_cast<double>(2 * (k + 1) - shared)};
    }
  });
  // Rows near to each other meet twice, with the same weight: once is enough.
  const auto ends = [](const GraphEdge& edge) { return std::pair(edge.a, edge.b); };
  std::sort(edges.begin(), edges.end(),
            [&](const GraphEdge& x, const GraphEdge& y) { return ends(x) < ends(y); });
  edges.erase(
      std::unique(edges.begin(), edges.end(),
                  [&](const GraphEdge& x, const GraphEdge& y) { return ends(x) == ends(y); }),
      edges.end());
  return make_graph(static_cast<std::size_t>(n), edges);
}

}  // namespace tyto
