// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/feedback/rough_groups.hpp"

#include <algorithm>

#include "tyto/cluster/kmeans.hpp"

namespace tyto {

namespace {

constexpr Index kRowsPerGroup = 256;

}  // namespace

Grouping rough_groups(const MatrixView& rows, Index groups, Work& work) {
  const Index n = rows.rows();
  if (n == 0) {
    return {};
  }
  const Index k = std::clamp<Index>(groups, 1, n);
  KMeansOptions options;
  options.iterations = 30;
  const Rng rng = work.rng.fork("groups");
  if (n <= kRowsPerGroup * k) {
    return numbered(k_means(rows, k, rng, options).group);
  }
  std::vector<Index> some = rng.fork("rows").permutation(n);
  some.resize(static_cast<std::size_t>(kRowsPerGroup * k));
  const Matrix drawn = rows(some, Eigen::all);
  const Matrix centres = k_means(drawn, k, rng, options).centres;
  const Neighbours nearest = nearest_rows(rows, centres, 1);
  return numbered(std::span(nearest.row.data(), static_cast<std::size_t>(n)));
}

}  // namespace tyto
