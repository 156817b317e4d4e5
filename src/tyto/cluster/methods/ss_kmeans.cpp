// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "tyto/cluster/clusterer.hpp"
#include "tyto/cluster/kmeans.hpp"
#include "tyto/math/assignment.hpp"

namespace tyto {

namespace {

constexpr double kRoughly = 1e-4;  // tolerance of the runs that only count groups

struct SsKmeansOptions {
  Index groups = 0;
  Index max_groups = 200;
  Index starts = 5;
  Index iterations = 100;

  void describe(OptionVisitor& v) {
    v.field("groups", groups, {0, 1e6},
            "groups, the labelled classes among them; 0: as many as agree best with the labels");
    v.field("max_groups", max_groups, {1, 1e6}, "the most tried where groups is 0");
    v.field("starts", starts, {1, 1e4},
            "random starts of the final run; the one with the least inertia is taken");
    v.field("iterations", iterations, {1, 1e6}, "of each start, at most");
  }
};

// Labelled rows that lie right under the best one-to-one assignment of groups to classes.
std::int64_t rows_right(std::span<const std::int32_t> group, std::span<const std::int32_t> pinned,
                        Index groups, Index classes) {
  auto cost = Dense<std::int64_t>::Zero(classes, groups).eval();
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (pinned[i] >= 0) {
      cost(pinned[i], group[i]) -= 1;
    }
  }
  std::int64_t right = 0;
  const std::vector<Index> pairs = least_cost_pairs(cost);
  for (Index c = 0; c < classes; ++c) {
    const Index column = pairs[static_cast<std::size_t>(c)];
    right -= column < 0 ? 0 : cost(c, column);
  }
  return right;
}

// The argument in [low, high] of the greatest value seen by a golden-section search, ties to the
// higher: O(log(high - low)) calls. Exact where `value` rises, then falls.
template <class Value>
Index golden_section(Index low, Index high, const Value& value) {
  constexpr double kGolden = 0.6180339887498949;
  std::map<Index, std::int64_t> seen;
  const auto at = [&](Index x) {
    const auto known = seen.find(x);
    return known != seen.end() ? known->second : seen.emplace(x, value(x)).first->second;
  };
  while (high - low > 2) {
    const auto step = static_cast<Index>(std::lround(kGolden * static_cast<double>(high - low)));
    const Index right = std::min(low + step, high - 1);
    const Index left = std::min(low + high - right, right - 1);
    if (at(left) > at(right)) {
      high = right;
    } else {
      low = left;
    }
  }
  for (Index x = low; x <= high; ++x) {
    at(x);
  }
  const auto best = std::max_element(
      seen.rbegin(), seen.rend(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return best->first;
}

class SsKmeans final : public Clusterer {
 public:
  explicit SsKmeans(SsKmeansOptions options) : options_(options) {}

  [[nodiscard]] Partitions cluster(const ClusterTask& task, Work& work) const override {
    Partitions found;
    const Index n = task.rows.rows();
    if (n == 0) {
      found.levels.emplace_back();
      return found;
    }
    std::map<std::int32_t, std::int32_t> class_of;  // of each label
    for (const std::int32_t label : task.labels) {
      if (label >= 0) {
        class_of.emplace(label, 0);
      }
    }
    std::int32_t classes = 0;
    for (auto& [label, number] : class_of) {
      number = classes++;
    }
    std::vector<std::int32_t> pinned(static_cast<std::size_t>(n), -1);
    for (std::size_t i = 0; i < task.labels.size(); ++i) {
      pinned[i] = task.labels[i] < 0 ? -1 : class_of.at(task.labels[i]);
    }

    Index groups = task.groups > 0 ? task.groups : options_.groups;
    if (groups == 0 && classes == 0) {
      groups = std::max(Index{1}, static_cast<Index>(std::sqrt(static_cast<double>(n) / 2.0)));
      found.notes.push_back(fmt::format(
          "no labelled row says how many groups there are: took sqrt(rows / 2) = {}", groups));
    } else if (groups == 0) {
      groups = estimate(task.rows, pinned, classes, work);
    } else if (groups < classes) {
      found.notes.push_back(fmt::format("asked for {} groups, but {} classes are labelled: took {}",
                                        groups, classes, classes));
      groups = classes;
    }
    KMeansOptions options{options_.starts, options_.iterations};
    options.pinned = pinned;
    const KMeansResult result = k_means(task.rows, groups, work.rng.fork("groups"), options);
    if (const Index made = result.centres.rows(); made < groups) {
      found.notes.push_back(
          fmt::format("asked for {} groups, the rows differ in {} places only", groups, made));
    }
    found.levels.push_back(numbered(result.group));
    return found;
  }

 private:
  // The number of groups at which plain k-means puts most labelled rows right. No row is pinned
  // here: pinned ones would be right whatever the number. Ties go to more groups, since merging
  // classes nobody has labelled costs no labelled row.
  [[nodiscard]] Index estimate(const MatrixView& rows, std::span<const std::int32_t> pinned,
                               Index classes, Work& work) const {
    const Index most = std::max(classes, std::min(options_.max_groups, rows.rows()));
    return golden_section(classes, most, [&](Index groups) {
      work.progress.pulse();
      // Each number from its own stream, so that the answer does not depend on the path.
      const Rng rng = work.rng.fork("estimate", static_cast<std::uint64_t>(groups));
      const KMeansOptions plain{1, options_.iterations, kRoughly};
      const KMeansResult tried = k_means(rows, groups, rng, plain);
      return rows_right(tried.group, pinned, tried.centres.rows(), classes);
    });
  }

  SsKmeansOptions options_;
};

}  // namespace

ClustererSpec ss_kmeans_clusterer() {
  return clusterer_spec<SsKmeansOptions, SsKmeans>(
      "ss_kmeans",
      "k-means with labelled rows kept in the groups of their classes; the number of groups by how "
      "well labelled rows are found again",
      "O(n k d) time per iteration and start, about 2 log2(max_groups) runs to find k; O(n d) "
      "memory",
      "Vaze et al., Generalized Category Discovery, CVPR 2022");
}

}  // namespace tyto
