// SPDX-License-Identifier: Apache-2.0
// Communities of the graph of shared nearest neighbours, at a resolution chosen by the labels.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "tyto/cluster/clusterer.hpp"
#include "tyto/cluster/snn.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kMetrics{"cosine", "euclidean"};

struct SnnGraphOptions {
  Index k = 15;
  std::string metric = "cosine";
  double widest = 16.0;
  Index steps = 6;

  void describe(OptionVisitor& v) {
    v.field("k", k, {1, 1e4}, "near rows that each row is joined to");
    v.field("metric", metric, kMetrics, "which rows are near");
    v.field("widest", widest, {1.0, 1e6},
            "resolutions tried go from 1 / widest (coarse) to widest (fine), 1 among them");
    v.field("steps", steps, {0, 100}, "resolutions between 1 and either end");
  }
};

Index count_groups(const Grouping& groups) {
  return groups.empty() ? 0 : Index{*std::max_element(groups.begin(), groups.end())} + 1;
}

bool all_unit_length(const MatrixView& rows) {
  return rows.rows() > 0 && ((squared_norms(rows).array() - 1.0F).abs() < 1e-4F).all();
}

class SnnGraph final : public Clusterer {
 public:
  explicit SnnGraph(SnnGraphOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Index neighbours() const override { return options_.k; }

  [[nodiscard]] Partitions cluster(const ClusterTask& task, Work& work) const override {
    const WeightedGraph graph = shared_neighbour_graph(near_in(task));
    work.progress.pulse();
    // Finest first, 1 in the middle.
    Partitions found;
    std::vector<double> gammas;
    for (Index step = options_.steps; step >= -options_.steps; --step) {
      gammas.push_back(options_.steps == 0
                           ? 1.0
                           : std::pow(options_.widest, static_cast<double>(step) /
                                                           static_cast<double>(options_.steps)));
    }
    // Each from the same stream: a resolution's answer does not depend on which others are tried.
    const Rng rng = work.rng.fork("leiden");
    found.levels.resize(gammas.size());
    for_each_index(std::ssize(gammas), [&](Index level) {
      const auto at = static_cast<std::size_t>(level);
      found.levels[at] = leiden(graph, rng, {gammas[at], kPasses});
    });
    work.progress.pulse();
    if (task.groups > 0) {
      choose_by_count(task.groups, graph, rng, gammas, found);
    } else {
      found.chosen =
          level_by_labels(found.levels, task.labels, static_cast<std::size_t>(options_.steps));
    }
    return found;
  }

 private:
  static constexpr Index kPasses = 10;
  static constexpr int kHalvings = 12;

  [[nodiscard]] Dense<std::int32_t> near_in(const ClusterTask& task) const {
    const Index k = std::min(options_.k, std::max(task.rows.rows() - 1, Index{0}));
    const bool cosine = options_.metric == "cosine";
    // Among rows of length 1 both metrics agree on what is near.
    const bool scaled = cosine && all_unit_length(task.rows);
    if (task.near != nullptr && task.near->row.cols() >= k && (!cosine || scaled)) {
      TYTO_ASSERT(task.near->row.rows() == task.rows.rows());
      return task.near->row.leftCols(k);
    }
    if (!cosine || scaled) {
      return near_rows(task.rows, k);
    }
    const Vector lengths = squared_norms(task.rows).cwiseSqrt();
    Matrix unit = task.rows;
    for_each_index(unit.rows(), [&](Index i) {
      if (lengths[i] > 0.0F) {
        unit.row(i) /= lengths[i];
      }
    });
    return near_rows(unit, k);
  }

  // The level with the number of groups asked for; where none has it, one between the two
  // resolutions around it, found by halving.
  static void choose_by_count(Index groups, const WeightedGraph& graph, const Rng& rng,
                              std::vector<double> gammas, Partitions& found) {
    const auto miss = [&](const Grouping& level) { return std::abs(count_groups(level) - groups); };
    const auto nearest = [&] {
      const auto least =
          std::min_element(found.levels.begin(), found.levels.end(),
                           [&](const Grouping& a, const Grouping& b) { return miss(a) < miss(b); });
      return static_cast<std::size_t>(least - found.levels.begin());
    };
    // The coarsest level that is finer than asked stands before the first that is not.
    std::size_t coarser = 0;
    while (coarser < found.levels.size() && count_groups(found.levels[coarser]) > groups) {
      ++coarser;
    }
    for (int halving = 0; halving < kHalvings && miss(found.levels[nearest()]) > 0 && coarser > 0 &&
                          coarser < found.levels.size();
         ++halving) {
      const double gamma = std::sqrt(gammas[coarser - 1] * gammas[coarser]);
      const auto place = static_cast<std::ptrdiff_t>(coarser);
      gammas.insert(gammas.begin() + place, gamma);
      found.levels.insert(found.levels.begin() + place, leiden(graph, rng, {gamma, kPasses}));
      coarser += count_groups(found.levels[coarser]) > groups ? 1 : 0;
    }
    found.chosen = nearest();
    if (const Index count = count_groups(found.levels[found.chosen]); count != groups) {
      found.notes.push_back(
          fmt::format("asked for {} groups, the nearest found is {} at resolution {:.3g}", groups,
                      count, gammas[found.chosen]));
    }
  }

  SnnGraphOptions options_;
};

}  // namespace

ClustererSpec snn_graph_clusterer() {
  return clusterer_spec<SnnGraphOptions, SnnGraph>(
      "snn_graph",
      "communities of the graph that joins each row to its near ones, weighted by shared "
      "neighbours; the resolution is chosen by the labels, 1 without any",
      "O(n^2 d) time for the near rows, then about linear in n k; O(n (d + k)) memory",
      "Traag, Waltman and van Eck, From Louvain to Leiden: guaranteeing well-connected "
      "communities, Scientific Reports 9, 2019; shared neighbours after Jarvis and Patrick, 1973");
}

}  // namespace tyto
