// SPDX-License-Identifier: Apache-2.0
// Rows projected so that their views and their known classes come close, then ss_kmeans.
#include <algorithm>
#include <cmath>
#include <utility>

#include "tyto/cluster/contrast.hpp"
#include "tyto/cluster/labelled_rows.hpp"

namespace tyto {

namespace {

struct GcdContrastiveOptions {
  GroupCountOptions count;
  ContrastOptions contrast;
  Index starts = 5;

  void describe(OptionVisitor& v) {
    count.describe(v);
    contrast.describe(v);
    v.field("starts", starts, {1, 1e4}, "of the k-means in the learned space");
  }
};

class GcdContrastive final : public Clusterer {
 public:
  explicit GcdContrastive(GcdContrastiveOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Partitions cluster(const ClusterTask& task, Work& work) const override {
    if (task.rows.rows() == 0) {
      return {{Grouping()}, 0, {}, {}};
    }
    const Eigen::RowVectorXf shift = task.rows.cast<double>().colwise().mean().cast<float>();
    const Matrix rows = task.rows.rowwise() - shift;
    const Matrix projection = learn_contrast(rows, task.labels, options_.contrast, work);
    const Matrix seen = projected(rows, projection);
    std::vector<std::string> notes;
    const LabelledRows labelled =
        labelled_rows({seen, task.labels, task.groups}, options_.count, notes, work);
    const KMeansResult found =
        pinned_start(seen, labelled, options_.starts, work.rng.fork("groups"));
    const auto cells = static_cast<double>(std::max<Index>(1, seen.size()));
    GroupScores scores = scores_of_centres(shift, found.centres, found.inertia / cells);
    scores.projection = projection;
    scores.unit = true;
    return partition_of(found.group, std::move(scores), labelled.groups, std::move(notes));
  }

 private:
  GcdContrastiveOptions options_;
};

}  // namespace

ClustererSpec gcd_contrastive_clusterer() {
  return clusterer_spec<GcdContrastiveOptions, GcdContrastive>(
      "gcd_contrastive",
      "rows are projected so that views of one row, and labelled rows of one class, come close; "
      "then ss_kmeans",
      "O(n (b + d) h) time per epoch for batches of b and h columns, O(n^2 d) once where views are "
      "neighbours; O(n (d + h)) memory",
      "Vaze et al., Generalized Category Discovery, CVPR 2022");
}

}  // namespace tyto
