// SPDX-License-Identifier: Apache-2.0
// A Dirichlet-process mixture of Gaussians, by variational inference, as a clustering method.
#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "tyto/cluster/clusterer.hpp"
#include "tyto/cluster/dp_mixture.hpp"
#include "tyto/cluster/kmeans.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kForms{"sound", "released"};

struct DpgmmOptions {
  Index truncation = 50;
  double concentration = 0.0;
  double least_weight = 1e-3;
  Index iterations = 100;
  double floor = 1e-6;
  std::string form = "sound";

  void describe(OptionVisitor& v) {
    v.field("truncation", truncation, {1, 1e5},
            "components at most; a number of groups asked for replaces it, and labels choose among "
            "this and smaller ones");
    v.field("concentration", concentration, {0.0, 1e12},
            "of the process, more favours more components; 0: 1 / components");
    v.field("least_weight", least_weight, {0.0, 0.5},
            "components lighter than this are left out, their rows go to the next likeliest");
    v.field("iterations", iterations, {1, 1e6}, "at most");
    v.field("floor", floor, {0.0, 1e6}, "added to variances, as a share of the mean one");
    v.field("form", form, kForms,
            "sound: a prior of one row on each variance; released: as scikit-learn, one of as many "
            "rows as there are columns");
  }
};

// Numbers by falling size, ties to the lower.
std::vector<std::int32_t> largest_first(std::span<const std::int32_t> group, Index groups) {
  std::vector<Index> size(static_cast<std::size_t>(groups), 0);
  for (const std::int32_t g : group) {
    ++size[static_cast<std::size_t>(g)];
  }
  std::vector<std::size_t> order(size.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  std::vector<std::int32_t> rank(size.size());
  for (std::size_t r = 0; r < order.size(); ++r) {
    rank[order[r]] = static_cast<std::int32_t>(r);
  }
  std::vector<std::int32_t> out;
  out.reserve(group.size());
  for (const std::int32_t g : group) {
    out.push_back(rank[static_cast<std::size_t>(g)]);
  }
  return out;
}

class Dpgmm final : public Clusterer {
 public:
  explicit Dpgmm(DpgmmOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Partitions cluster(const ClusterTask& task, Work& work) const override {
    Partitions found;
    if (task.rows.rows() == 0) {
      found.levels.emplace_back();
      return found;
    }
    for (const Index components : truncations(task)) {
      work.progress.pulse();
      found.levels.push_back(mixture_of(task.rows, components, work.rng.fork("start")));
    }
    found.chosen = level_by_labels(found.levels, task.labels, 0);
    const Grouping& groups = found.levels[found.chosen];
    const Index count = Index{*std::max_element(groups.begin(), groups.end())} + 1;
    if (task.groups > 0 && count != task.groups) {
      found.notes.push_back(
          fmt::format("asked for {} groups, the mixture keeps {}", task.groups, count));
    }
    return found;
  }

 private:
  // The inference seldom merges what k-means has cut up, so that the number of components it begins
  // with matters: labels choose among several.
  [[nodiscard]] std::vector<Index> truncations(const ClusterTask& task) const {
    std::vector<Index> falling{task.groups > 0 ? task.groups : options_.truncation};
    const bool guided =
        std::any_of(task.labels.begin(), task.labels.end(), [](auto label) { return label >= 0; });
    while (guided && task.groups == 0 && falling.back() > 2) {
      falling.push_back(falling.back() * 3 / 4);
    }
    return falling;
  }

  [[nodiscard]] Grouping mixture_of(const MatrixView& rows, Index truncation,
                                    const Rng& rng) const {
    const KMeansResult start = k_means(rows, truncation, rng);
    DpMixtureOptions options;
    options.form = options_.form == "sound" ? DpForm::sound : DpForm::released;
    options.concentration = options_.concentration;
    options.floor = options_.floor;
    options.least_weight = options_.least_weight;
    options.iterations = options_.iterations;
    const Index components = start.centres.rows();
    return numbered(
        fit_dp_mixture(rows, largest_first(start.group, components), components, options).best);
  }

  DpgmmOptions options_;
};

}  // namespace

ClustererSpec dpgmm_clusterer() {
  return clusterer_spec<DpgmmOptions, Dpgmm>(
      "dpgmm",
      "Dirichlet-process mixture of Gaussians with diagonal covariances: finds how many components "
      "the rows need, up to a limit",
      "O(n k d) time per iteration for k components, O(n d) memory",
      "Blei and Jordan, Variational Inference for Dirichlet Process Mixtures, Bayesian Analysis "
      "2006");
}

}  // namespace tyto
