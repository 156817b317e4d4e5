// SPDX-License-Identifier: Apache-2.0
// k-means whose labelled rows stay in the groups of their classes.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tyto/cluster/labelled_rows.hpp"
#include "tyto/math/unit_rows.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 3> kKMeansForms{"sound", "released", "vaze"};
constexpr std::array<std::string_view, 3> kSizes{"free", "weighted", "even"};

struct SsKmeansOptions {
  GroupCountOptions count;
  std::string form = "sound";
  std::string sizes = "free";
  Index starts = 5;
  Index iterations = 100;

  void describe(OptionVisitor& v) {
    count.describe(v);
    v.field("form", form, kKMeansForms,
            "sound: until rows stay, an emptied group begins anew; vaze: as Vaze et al., rows at "
            "unit length, one draw a centre, until the centres stay; released: as the code of "
            "NovelCraft, whose test for the end holds at once, so that every start is one update "
            "and one more assignment");
    v.field("sizes", sizes, kSizes,
            "form sound: free, to the nearest centre; weighted, large groups draw rows as in a "
            "mixture; even, groups are brought to about the same size");
    v.field("starts", starts, {1, 1e4},
            "random starts of the final run; the one with the least inertia is taken");
    v.field("iterations", iterations, {1, 1e6}, "of each start, at most; released: one");
  }
};

class SsKmeans final : public Clusterer {
 public:
  explicit SsKmeans(SsKmeansOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Partitions cluster(const ClusterTask& task, Work& work) const override {
    if (task.rows.rows() == 0) {
      return {{Grouping()}, 0, {}, {}};
    }
    const bool unit = options_.form == "vaze";
    Matrix rows = unit ? unit_rows(task.rows) : Matrix(task.rows);
    ClusterTask seen{rows, task.labels, task.groups};
    std::vector<std::string> notes;
    const LabelledRows labelled = labelled_rows(seen, options_.count, notes, work);
    // About the joint mean, where numbers are small.
    const Matrix shift = unit ? Matrix::Zero(1, rows.cols()).eval()
                              : Matrix(rows.cast<double>().colwise().mean().cast<float>());
    rows.rowwise() -= shift.row(0);
    const KMeansResult result =
        k_means(rows, labelled.groups, work.rng.fork("groups"), options_for(labelled));
    const auto cells = static_cast<double>(std::max<Index>(1, rows.size()));
    const double variance = std::max(result.inertia / cells, 1e-30);
    GroupScores scores = scores_of_centres(shift, result.centres, variance);
    if (result.price.size() > 0) {
      scores.bias -= result.price.transpose() / static_cast<float>(2.0 * variance);
    }
    if (unit) {
      scores.unit = true;
    }
    return partition_of(result.group, std::move(scores), labelled.groups, std::move(notes));
  }

 private:
  [[nodiscard]] KMeansOptions options_for(const LabelledRows& labelled) const {
    KMeansOptions out{options_.starts, options_.iterations};
    out.pinned = labelled.pinned;
    out.draw_pinned = false;
    if (options_.form == "released") {
      const auto fresh =
          static_cast<double>(std::max(Index{1}, labelled.groups - labelled.classes));
      out.iterations = 1;
      out.trials = 2 + static_cast<Index>(std::log(fresh));
      out.reseed = false;
    } else if (options_.form == "vaze") {
      out.trials = 1;
      out.reseed = false;
      out.least_shift = 1e-4;
    } else {
      out.sizes = options_.sizes == "even"       ? GroupSizes::even
                  : options_.sizes == "weighted" ? GroupSizes::weighted
                                                 : GroupSizes::free;
    }
    return out;
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
      "Vaze et al., Generalized Category Discovery, CVPR 2022; Feeney et al., NovelCraft, TMLR "
      "2023");
}

}  // namespace tyto
