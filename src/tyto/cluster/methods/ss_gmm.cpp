// SPDX-License-Identifier: Apache-2.0
// A Gaussian mixture whose labelled rows stay in the components of their classes.
#include <array>
#include <utility>

#include "tyto/cluster/gaussian_groups.hpp"
#include "tyto/cluster/labelled_rows.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kCovariances{"spherical", "diagonal"};
constexpr std::array<std::string_view, 2> kMixtureForms{"sound", "released"};

struct SsGmmOptions {
  GroupCountOptions count;
  std::string covariance = "spherical";
  std::string form = "sound";
  Index starts = 5;
  Index iterations = 100;

  void describe(OptionVisitor& v) {
    count.describe(v);
    v.field("covariance", covariance, kCovariances,
            "of each group: one variance, or one for every column");
    v.field("form", form, kMixtureForms,
            "sound: from the groups of ss_kmeans, each variance with a prior of one row at the "
            "variance within groups; released: means at first centres, weights and variances of a "
            "k-means of the rows without labels, whose groups are others");
    v.field("starts", starts, {1, 1e4}, "of the k-means it begins with; released: one");
    v.field("iterations", iterations, {1, 1e6}, "at most");
  }
};

class SsGmm final : public Clusterer {
 public:
  explicit SsGmm(SsGmmOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Partitions cluster(const ClusterTask& task, Work& work) const override {
    if (task.rows.rows() == 0) {
      return {{Grouping()}, 0, {}, {}};
    }
    std::vector<std::string> notes;
    const LabelledRows labelled = labelled_rows(task, options_.count, notes, work);
    const Eigen::RowVectorXf shift = task.rows.cast<double>().colwise().mean().cast<float>();
    const Matrix rows = task.rows.rowwise() - shift;
    GaussianGroupsOptions options;
    options.spherical = options_.covariance == "spherical";
    options.iterations = options_.iterations;
    work.progress.pulse();
    GaussianGroups groups = options_.form == "released"
                                ? released_start(rows, labelled, options, work.rng)
                                : sound_start(rows, labelled, options, work.rng);
    fit_gaussians(groups, rows, labelled.pinned, options);
    GroupScores scores = groups.scores();
    scores.shift += shift;
    return partition_of(groups.group, std::move(scores), labelled.groups, std::move(notes));
  }

 private:
  [[nodiscard]] GaussianGroups sound_start(const Matrix& rows, const LabelledRows& labelled,
                                           GaussianGroupsOptions& options, const Rng& rng) const {
    const KMeansResult start = pinned_start(rows, labelled, options_.starts, rng.fork("groups"));
    const auto cells = static_cast<double>(std::max<Index>(1, rows.size()));
    options.prior = 1.0;
    options.floor = std::max(1e-6 * start.inertia / cells, 1e-30);
    return gaussians_of(rows, start.group, start.centres.rows(), options);
  }

  [[nodiscard]] static GaussianGroups released_start(const Matrix& rows,
                                                     const LabelledRows& labelled,
                                                     const GaussianGroupsOptions& options,
                                                     const Rng& rng) {
    KMeansOptions first;
    first.iterations = 0;  // the centres as they were drawn
    first.pinned = labelled.pinned;
    first.draw_pinned = false;
    const Matrix centres = k_means(rows, labelled.groups, rng.fork("groups"), first).centres;
    std::vector<Index> free;
    for (std::size_t i = 0; i < labelled.pinned.size(); ++i) {
      if (labelled.pinned[i] < 0) {
        free.push_back(static_cast<Index>(i));
      }
    }
    std::vector<std::int32_t> group(labelled.pinned.size(), -1);
    if (!free.empty()) {
      const KMeansResult plain =
          k_means(rows(free, Eigen::all), centres.rows(), rng.fork("variances"));
      for (std::size_t i = 0; i < free.size(); ++i) {
        group[static_cast<std::size_t>(free[i])] = plain.group[i];
      }
    }
    GaussianGroups groups = gaussians_of(rows, group, centres.rows(), options);
    groups.means = centres.cast<double>();
    return groups;
  }

  SsGmmOptions options_;
};

}  // namespace

ClustererSpec ss_gmm_clusterer() {
  return clusterer_spec<SsGmmOptions, SsGmm>(
      "ss_gmm",
      "a mixture of Gaussians, spherical or diagonal, with labelled rows kept in the components of "
      "their classes",
      "O(n k d) time per iteration, O(n d) memory",
      "Feeney et al., NovelCraft: A Dataset for Novelty Detection and Discovery in Open Worlds, "
      "TMLR 2023");
}

}  // namespace tyto
