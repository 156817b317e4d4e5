// SPDX-License-Identifier: Apache-2.0
// DP-means: a row further than lambda from all centres begins a group of its own.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "tyto/cluster/clusterer.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"

namespace tyto {

namespace {

constexpr Index kBlock = 1024;
constexpr Index kLadder = 12;
constexpr Index kSweeps = 100;
constexpr double kTolerance = 1e-5;  // ends once the objective falls by less than this share

struct DpMeansOptions {
  double lambda = 0.0;
  Index expected = 10;
  Index max_groups = 400;

  void describe(OptionVisitor& v) {
    v.field("lambda", lambda, {0.0, 1e30},
            "squared distance to every centre beyond which a row begins a group; 0: chosen");
    v.field("expected", expected, {1, 1e6},
            "groups expected where lambda is to be chosen, no number is asked for and no label "
            "guides the choice");
    v.field("max_groups", max_groups, {1, 1e6}, "at most so many groups are begun");
  }
};

const float* row_of(const MatrixView& rows, Index i) {
  return rows.data() + i * rows.outerStride();
}

Matrix mean_of(const MatrixView& rows) {
  return (rows.cast<double>().colwise().sum() / static_cast<double>(rows.rows())).cast<float>();
}

// Entry k - 1 is the lambda of Kulis and Jordan for k expected groups: from the mean of all rows,
// the row furthest from those taken so far is taken k times; the last one's squared distance.
std::vector<float> farthest_first(const MatrixView& rows, Index count) {
  std::vector<float> lambdas;
  Vector nearest = Vector::Constant(rows.rows(), std::numeric_limits<float>::infinity());
  Matrix last = mean_of(rows);
  while (std::ssize(lambdas) < count) {
    for_each_index(rows.rows(), [&](Index i) {
      nearest[i] =
          std::min(nearest[i], squared_distance(row_of(rows, i), last.data(), rows.cols()));
    });
    Index furthest = 0;
    lambdas.push_back(nearest.maxCoeff(&furthest));
    last = rows.row(furthest);
  }
  return lambdas;
}

struct DpMeansResult {
  Grouping groups;
  Index count = 0;
  bool capped = false;
};

// Sweeps in row order: a row beyond lambda of every centre, those begun in the same sweep included,
// begins a group at itself; means move after the sweep.
DpMeansResult dp_means(const MatrixView& rows, double lambda, Index max_groups) {
  const Index n = rows.rows();
  Matrix centres = mean_of(rows);
  DpMeansResult result;
  result.groups.assign(static_cast<std::size_t>(n), -1);
  double before = std::numeric_limits<double>::infinity();
  for (Index sweep = 0; sweep < kSweeps; ++sweep) {
    bool changed = false;
    double objective = 0.0;
    in_blocks(n, kBlock, [&](Index begin, Index count) {
      const Index old = centres.rows();
      const Neighbours nearest = nearest_rows(rows.middleRows(begin, count), centres, 1);
      std::vector<Index> begun;  // rows of this block that became centres old, old + 1, ...
      for (Index i = begin; i < begin + count; ++i) {
        Index to = nearest.row(i - begin, 0);
        float distance = nearest.distance(i - begin, 0);
        for (std::size_t b = 0; b < begun.size(); ++b) {
          const float there =
              squared_distance(row_of(rows, i), row_of(rows, begun[b]), rows.cols());
          if (there < distance) {
            distance = there;
            to = old + static_cast<Index>(b);
          }
        }
        if (static_cast<double>(distance) > lambda) {
          if (old + std::ssize(begun) < max_groups) {
            to = old + std::ssize(begun);
            begun.push_back(i);
            distance = 0.0F;
          } else {
            result.capped = true;
          }
        }
        objective += static_cast<double>(distance);
        std::int32_t& group = result.groups[static_cast<std::size_t>(i)];
        changed = changed || group != to;
        group = static_cast<std::int32_t>(to);
      }
      centres.conservativeResize(old + std::ssize(begun), Eigen::NoChange);
      centres.bottomRows(std::ssize(begun)) = rows(begun, Eigen::all);
    });
    result.groups = numbered(result.groups);  // leaves out the empty ones
    result.count = Index{*std::max_element(result.groups.begin(), result.groups.end())} + 1;
    objective += lambda * static_cast<double>(result.count);
    if (!changed || before - objective <= kTolerance * objective) {
      break;
    }
    before = objective;
    Dense<double> sum = Dense<double>::Zero(result.count, rows.cols());
    Eigen::VectorXd size = Eigen::VectorXd::Zero(result.count);
    for (Index i = 0; i < n; ++i) {
      sum.row(result.groups[static_cast<std::size_t>(i)]) += rows.row(i).cast<double>();
      size[result.groups[static_cast<std::size_t>(i)]] += 1.0;
    }
    centres = (sum.array().colwise() / size.array()).cast<float>();
  }
  return result;
}

class DpMeans final : public Clusterer {
 public:
  explicit DpMeans(DpMeansOptions options) : options_(options) {}

  [[nodiscard]] Partitions cluster(const ClusterTask& task, Work& work) const override {
    Partitions found;
    if (task.rows.rows() == 0) {
      found.levels.emplace_back();
      return found;
    }
    const std::vector<double> ladder = lambdas(task);
    std::vector<Index> counts;
    bool capped = false;
    for (const double lambda : ladder) {
      work.progress.pulse();
      DpMeansResult result = dp_means(task.rows, lambda, options_.max_groups);
      found.levels.push_back(std::move(result.groups));
      counts.push_back(result.count);
      capped = capped || result.capped;
    }
    if (task.groups > 0) {
      for (std::size_t level = 1; level < counts.size(); ++level) {
        const auto miss = [&](std::size_t at) { return std::abs(counts[at] - task.groups); };
        found.chosen = miss(level) < miss(found.chosen) ? level : found.chosen;
      }
      if (counts[found.chosen] != task.groups) {
        found.notes.push_back(
            fmt::format("asked for {} groups, the nearest found is {} at lambda "
                        "{:.4g}",
                        task.groups, counts[found.chosen], ladder[found.chosen]));
      }
    } else {
      found.chosen = level_by_labels(found.levels, task.labels, 0);
    }
    if (capped) {
      found.notes.push_back(
          fmt::format("max_groups = {} kept rows beyond lambda from beginning "
                      "a group",
                      options_.max_groups));
    }
    return found;
  }

 private:
  [[nodiscard]] std::vector<double> lambdas(const ClusterTask& task) const {
    if (options_.lambda > 0.0) {
      return {options_.lambda};
    }
    const Index most = std::min(task.rows.rows(), options_.max_groups);
    std::set<Index> expected;
    const bool guided =
        std::any_of(task.labels.begin(), task.labels.end(), [](auto label) { return label >= 0; });
    if (guided || task.groups > 0) {
      for (Index step = 0; step < kLadder; ++step) {  // from 2 to as many as may be begun
        expected.insert(std::min(
            most, static_cast<Index>(
                      std::lround(2.0 * std::pow(std::max(1.0, static_cast<double>(most) / 2.0),
                                                 static_cast<double>(step) / (kLadder - 1))))));
      }
    }
    if (task.groups > 0 || !guided) {
      expected.insert(std::min(most, task.groups > 0 ? task.groups : options_.expected));
    }
    const std::vector<float> lambda = farthest_first(task.rows, *expected.rbegin());
    std::vector<double> finest_first;
    for (auto count = expected.rbegin(); count != expected.rend(); ++count) {
      finest_first.push_back(static_cast<double>(lambda[static_cast<std::size_t>(*count - 1)]));
    }
    return finest_first;
  }

  DpMeansOptions options_;
};

}  // namespace

ClustererSpec dp_means_clusterer() {
  return clusterer_spec<DpMeansOptions, DpMeans>(
      "dp_means",
      "k-means that begins a group wherever a row is further than lambda from all centres; depends "
      "on the order of the rows",
      "O(n k d) time per sweep, O(n d) memory",
      "Kulis and Jordan, Revisiting k-means: New Algorithms via Bayesian Nonparametrics, ICML "
      "2012");
}

}  // namespace tyto
