// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/gaussian/class_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

Grouping all_together(Index rows) {
  return Grouping(static_cast<std::size_t>(rows), 0);
}

}  // namespace

void ClassClustersOptions::describe(OptionVisitor& v) {
  static constexpr std::string_view kLevels[] = {"bic", "chosen", "coarsest", "finest"};
  v.field("clusterer", clusterer, {}, "how the rows of a class are grouped: any of `tyto cluster`");
  v.field("level", level, kLevels,
          "which partition of the clusterer: the best by BIC, one component alone among them; the "
          "clusterer's own choice; its coarsest (as released); or its finest");
  v.field("components", components, {0, 1e5},
          "components asked of the clusterer for each class; 0: by level");
  v.field("clustering", clustering,
          "options of the clusterer; none: finch by the euclidean distance, which suits Gaussians, "
          "and others by their own standard");
}

std::unique_ptr<Clusterer> make_clusterer(const ClassClustersOptions& options,
                                          std::string_view path) {
  ConfigNode node = options.clustering;
  if (node.is_null() && options.clusterer == "finch") {
    node = parse_yaml("{metric: euclidean}", "standard");
  }
  return find_clusterer(options.clusterer).make(node, fmt::format("{}.clustering", path));
}

ClassClusters::ClassClusters(const ClassClustersOptions& options, std::string_view path)
    : clusterer_(make_clusterer(options, path)),
      level_(options.level),
      components_(options.components) {}

ClassClusters::ClassClusters(std::unique_ptr<Clusterer> clusterer, std::string level)
    : clusterer_(std::move(clusterer)), level_(std::move(level)) {}

Grouping ClassClusters::of(const MatrixView& rows, Work& work) const {
  if (rows.rows() < 3) {  // two rows are one cluster to any method that links neighbours
    return all_together(rows.rows());
  }
  ClusterTask task{.rows = rows};
  task.groups = std::min(components_, rows.rows());
  const Partitions found = clusterer_->cluster(task, work);
  TYTO_ASSERT(!found.levels.empty());
  if (components_ > 0 || level_ == "chosen") {
    return found.levels[found.chosen];
  }
  if (level_ == "coarsest") {
    return found.levels.back();
  }
  if (level_ == "finest") {
    return found.levels.front();
  }
  Grouping best = all_together(rows.rows());
  double highest = spherical_bic(rows, best);
  for (auto level = found.levels.rbegin(); level != found.levels.rend(); ++level) {
    const double value = spherical_bic(rows, *level);
    if (value > highest) {
      highest = value;
      best = *level;
    }
  }
  return best;
}

double spherical_bic(const MatrixView& rows, const Grouping& groups) {
  const auto n = static_cast<double>(rows.rows());
  const auto d = static_cast<double>(rows.cols());
  const Index k = 1 + *std::max_element(groups.begin(), groups.end());
  Dense<double> means = Dense<double>::Zero(k, rows.cols());
  std::vector<double> counts(static_cast<std::size_t>(k), 0.0);
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto group = groups[static_cast<std::size_t>(i)];
    means.row(group) += rows.row(i).cast<double>();
    counts[static_cast<std::size_t>(group)] += 1.0;
  }
  for (Index g = 0; g < k; ++g) {
    means.row(g) /= counts[static_cast<std::size_t>(g)];
  }
  double squares = 0.0;
  for (Index i = 0; i < rows.rows(); ++i) {
    squares +=
        (rows.row(i).cast<double>() - means.row(groups[static_cast<std::size_t>(i)])).squaredNorm();
  }
  if (!(squares > 0.0)) {
    return -std::numeric_limits<double>::infinity();
  }
  double shares = 0.0;
  for (const double count : counts) {
    shares += count * std::log(count / n);
  }
  const double parameters = static_cast<double>(k) * (d + 1.0);
  return shares - 0.5 * n * d * std::log(squares / (n * d)) - 0.5 * parameters * std::log(n);
}

}  // namespace tyto
