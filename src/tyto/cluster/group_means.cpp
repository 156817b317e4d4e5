// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/group_means.hpp"

#include <algorithm>
#include <cmath>

#include "tyto/cluster/group_members.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"

namespace tyto {

namespace {

// Unit length for cosine, where half the squared distance is the distance; else as they are.
Matrix comparable(Matrix rows, Metric metric) {
  if (metric == Metric::cosine) {
    share_loop(rows.rows(), rows.cols(), [&](Index i) {
      const double norm = rows.row(i).cast<double>().norm();
      if (norm > 0.0) {
        rows.row(i) = (rows.row(i).cast<double>() / norm).cast<float>();
      }
    });
  }
  return rows;
}

double length(float squared, Metric metric) {
  const auto square = static_cast<double>(squared);
  return metric == Metric::cosine ? 0.5 * square : std::sqrt(square);
}

}  // namespace

Index group_count(const Grouping& groups) {
  return groups.empty() ? 0 : Index{*std::max_element(groups.begin(), groups.end())} + 1;
}

Dense<double> group_means(const MatrixView& rows, const Grouping& groups) {
  const Index count = group_count(groups);
  const GroupMembers members(groups, count);
  Dense<double> means(count, rows.cols());
  share_loop(count, rows.size() / std::max<Index>(count, 1), [&](Index g) {
    Vector sum = Vector::Zero(rows.cols());
    for (const std::int32_t i : members.of(g)) {
      sum += rows.row(i).transpose();
    }
    means.row(g) = sum.cast<double>().transpose() / static_cast<double>(members.of(g).size());
  });
  return means;
}

Grouping nearest_groups(const MatrixView& fresh, const Dense<double>& means, Metric metric) {
  Grouping out(static_cast<std::size_t>(fresh.rows()), 0);
  if (metric == Metric::manhattan) {
    const Dense<double> rows = fresh.cast<double>();
    share_loop(fresh.rows(), means.size(), [&](Index i) {
      Index group = 0;
      (means.rowwise() - rows.row(i)).cwiseAbs().rowwise().sum().minCoeff(&group);
      out[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(group);
    });
    return out;
  }
  const Matrix queries = comparable(fresh, metric);
  const Neighbours near = nearest_rows(queries, comparable(means.cast<float>(), metric), 1);
  for (Index i = 0; i < fresh.rows(); ++i) {
    // A zero row is as far from every mean in cosine: the first of them.
    const bool is_free = metric == Metric::cosine && queries.row(i).isZero(0.0F);
    out[static_cast<std::size_t>(i)] = is_free ? 0 : near.row(i, 0);
  }
  return out;
}

std::optional<double> centroid_silhouette(const MatrixView& rows, const Grouping& groups,
                                          Metric metric, Index sample) {
  if (metric == Metric::manhattan || group_count(groups) < 2) {
    return std::nullopt;
  }
  const Index n = std::min(sample, rows.rows());
  Matrix picked(n, rows.cols());
  std::vector<std::int32_t> own(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    const Index row = i * rows.rows() / n;
    picked.row(i) = rows.row(row);
    own[static_cast<std::size_t>(i)] = groups[static_cast<std::size_t>(row)];
  }
  picked = comparable(std::move(picked), metric);
  const Matrix means = comparable(group_means(rows, groups).cast<float>(), metric);
  const Neighbours near = nearest_rows(picked, means, 2);
  std::vector<double> sizes(static_cast<std::size_t>(means.rows()), 0.0);
  for (const std::int32_t group : groups) {
    sizes[static_cast<std::size_t>(group)] += 1.0;
  }
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) {
    const std::int32_t group = own[static_cast<std::size_t>(i)];
    const double size = sizes[static_cast<std::size_t>(group)];
    if (size < 2.0) {
      continue;
    }
    const double without = size / (size - 1.0);  // the mean moves away by this factor
    const double a =
        length(squared_distance(&picked(i, 0), &means(group, 0), rows.cols()), metric) *
        (metric == Metric::cosine ? without * without : without);
    const double b = length(near.distance(i, near.row(i, 0) == group ? 1 : 0), metric);
    sum += std::max(a, b) > 0.0 ? (b - a) / std::max(a, b) : 0.0;
  }
  return sum / static_cast<double>(n);
}

}  // namespace tyto
