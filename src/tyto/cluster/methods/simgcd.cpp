// SPDX-License-Identifier: Apache-2.0
// SimGCD: prototypes that learn from their own sharper answers about another view of a row.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "tyto/cluster/contrast.hpp"
#include "tyto/cluster/labelled_rows.hpp"
#include "tyto/cluster/matrix_adam.hpp"
#include "tyto/cluster/row_views.hpp"
#include "tyto/math/softmax.hpp"
#include "tyto/math/unit_rows.hpp"

namespace tyto {

namespace {

struct SimgcdOptions {
  GroupCountOptions count;
  Index contrast = 0;
  ViewOptions views;
  double weight = 0.35;
  double entropy = 0.0;
  double student = 0.1;
  double first_teacher = 0.07;
  double teacher = 0.04;
  Index warm = 15;
  double rate = 0.1;
  Index epochs = 60;
  Index batch = 256;
  Index starts = 5;

  void describe(OptionVisitor& v) {
    count.describe(v);
    v.field("contrast", contrast, {0, 1e6},
            "epochs of learning a space by contrast first, as gcd_contrastive does; 0: the rows as "
            "they are");
    views.describe(v);
    v.field("weight", weight, {0.0, 1.0}, "of the labelled rows' loss, the others have the rest");
    v.field(
        "entropy", entropy, {0.0, 1e3},
        "weight of the entropy of the mean answer: more makes groups more alike in size; 0: the "
        "one of several under which classes whose labels are hidden are found again best");
    v.field("student", student, {1e-3, 1e3}, "temperature of the answers");
    v.field("first_teacher", first_teacher, {1e-3, 1e3},
            "temperature of the answers learned from, at first");
    v.field("teacher", teacher, {1e-3, 1e3}, "the same after `warm` epochs");
    v.field("warm", warm, {0, 1e6}, "epochs until then");
    v.field("rate", rate, {1e-6, 1e3}, "of learning; falls to 0 along a cosine");
    v.field("epochs", epochs, {0, 1e6}, "over all rows");
    v.field("batch", batch, {2, 1e6}, "rows of a step");
    v.field("starts", starts, {1, 1e4}, "of the k-means it begins with");
  }
};

// Prototypes at unit length; scores are cosines over a temperature.
class SelfDistilled {
 public:
  SelfDistilled(const Matrix& rows, const LabelledRows& labelled, const SimgcdOptions& options)
      : rows_(rows), labelled_(labelled), options_(options) {}

  Matrix fit(Matrix prototypes, const RowViews& views, double entropy, const Work& work) const {
    const double rate = options_.rate / std::sqrt(static_cast<double>(rows_.cols()));
    MatrixAdam adam(rate);
    const Index n = rows_.rows();
    const Index steps = std::max<Index>(1, n / std::min(options_.batch, n));
    const auto all = static_cast<double>(steps * options_.epochs);
    double done = 0.0;
    prototypes = unit_rows(std::move(prototypes));
    for (Index epoch = 0; epoch < options_.epochs; ++epoch) {
      work.progress.pulse();
      const auto order = work.rng.fork("order", static_cast<std::uint64_t>(epoch)).permutation(n);
      for (Index s = 0; s < steps; ++s) {
        const Index begin = s * n / steps;
        const Rows batch = Rows(order).subspan(
            static_cast<std::size_t>(begin), static_cast<std::size_t>((s + 1) * n / steps - begin));
        const double left = 0.5 * (1.0 + std::cos(std::numbers::pi * done / all));
        adam.step(prototypes, gradient(prototypes, views, batch, epoch, entropy), left);
        prototypes = unit_rows(std::move(prototypes));
        done += 1.0;
      }
    }
    return prototypes;
  }

 private:
  [[nodiscard]] Matrix gradient(const Matrix& prototypes, const RowViews& views, const Rows& batch,
                                Index epoch, double entropy) const {
    const auto drawn = static_cast<std::uint64_t>(epoch);
    const Matrix one = views.draw(batch, 2 * drawn);
    const Matrix two = views.draw(batch, 2 * drawn + 1);
    const Matrix cosine_one = one * prototypes.transpose();
    const Matrix cosine_two = two * prototypes.transpose();
    const double share =
        options_.warm > 0
            ? std::min(1.0, static_cast<double>(epoch) / static_cast<double>(options_.warm))
            : 1.0;
    const auto sharp = static_cast<float>(
        1.0 / (options_.first_teacher + share * (options_.teacher - options_.first_teacher)));
    const auto soft = static_cast<float>(1.0 / options_.student);
    const Matrix taught_one = softmax(sharp * cosine_two);  // each view learns from the other
    const Matrix taught_two = softmax(sharp * cosine_one);
    const Matrix said_one = softmax(soft * cosine_one);
    const Matrix said_two = softmax(soft * cosine_two);
    const Eigen::RowVectorXf log_mean =
        (0.5F * (said_one.colwise().mean() + said_two.colwise().mean()))
            .cwiseMax(1e-12F)
            .array()
            .log();
    Matrix slope = slope_of(said_one, taught_one, log_mean, batch, entropy).transpose() * one;
    slope.noalias() += slope_of(said_two, taught_two, log_mean, batch, entropy).transpose() * two;
    slope *= soft;
    // Along the sphere alone.
    const Vector along = slope.cwiseProduct(prototypes).rowwise().sum();
    return slope - along.asDiagonal() * prototypes;
  }

  // Of the loss by the scores of one view.
  [[nodiscard]] Matrix slope_of(const Matrix& said, const Matrix& taught,
                                const Eigen::RowVectorXf& log_mean, const Rows& batch,
                                double entropy) const {
    const auto n = static_cast<float>(said.rows());
    Index labelled = 0;
    for (const Index i : batch) {
      labelled += labelled_.pinned[static_cast<std::size_t>(i)] >= 0 ? 1 : 0;
    }
    const float own = static_cast<float>(0.5 * options_.weight) /
                      static_cast<float>(std::max<Index>(1, labelled));
    const float others = static_cast<float>(0.5 * (1.0 - options_.weight)) / n;
    const auto even = static_cast<float>(entropy);
    Matrix out(said.rows(), said.cols());
    for (Index i = 0; i < said.rows(); ++i) {
      const auto p = said.row(i);
      // d/ds of sum_k mean_k ln mean_k, times n.
      const Eigen::RowVectorXf uneven =
          p.cwiseProduct((log_mean.array() - p.dot(log_mean)).matrix());
      out.row(i) = others * (p - taught.row(i) + even * uneven);
      const std::int32_t known =
          labelled_.pinned[static_cast<std::size_t>(batch[static_cast<std::size_t>(i)])];
      if (known >= 0) {
        out.row(i) += own * p;
        out(i, known) -= own;
      }
    }
    return out;
  }

  const Matrix& rows_;
  const LabelledRows& labelled_;
  const SimgcdOptions& options_;
};

class Simgcd final : public Clusterer {
 public:
  explicit Simgcd(SimgcdOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Partitions cluster(const ClusterTask& task, Work& work) const override {
    if (task.rows.rows() == 0) {
      return {{Grouping()}, 0, {}, {}};
    }
    const Eigen::RowVectorXf shift = task.rows.cast<double>().colwise().mean().cast<float>();
    GroupScores model;
    Matrix rows = task.rows.rowwise() - shift;
    if (options_.contrast > 0) {
      ContrastOptions contrast;
      contrast.views = options_.views;
      contrast.weight = options_.weight;
      contrast.epochs = options_.contrast;
      model.projection = learn_contrast(rows, task.labels, contrast, work);
      rows = (rows * model.projection).eval();
    }
    rows = unit_rows(std::move(rows));
    std::vector<std::string> notes;
    const LabelledRows labelled =
        labelled_rows({rows, task.labels, task.groups}, options_.count, notes, work);
    const KMeansResult start =
        pinned_start(rows, labelled, options_.starts, work.rng.fork("groups"));
    Matrix prototypes = start.centres;
    if (prototypes.rows() > 1) {
      const RowViews views(rows, options_.views, work);
      const double entropy =
          options_.entropy > 0.0 ? options_.entropy : chosen_entropy(rows, labelled, views, work);
      prototypes =
          SelfDistilled(rows, labelled, options_).fit(std::move(prototypes), views, entropy, work);
    }
    model.shift = shift;
    model.unit = true;
    model.weight = prototypes / static_cast<float>(options_.student);
    model.bias = Matrix::Zero(1, prototypes.rows());
    const auto group = best_columns(rows * prototypes.transpose(), labelled.pinned);
    return partition_of(group, std::move(model), labelled.groups, std::move(notes));
  }

 private:
  [[nodiscard]] double chosen_entropy(const Matrix& rows, const LabelledRows& labelled,
                                      const RowViews& views, const Work& work) const {
    constexpr double kUsual = 2.0;
    return best_with_hidden_labels(
        rows, labelled, options_.starts, work.rng.fork("hidden"), kUsual, {kUsual, 0.3},
        [&](const LabelledRows& hidden, const Matrix& centres, double entropy) {
          const Matrix found =
              SelfDistilled(rows, hidden, options_).fit(centres, views, entropy, work);
          return best_columns(rows * found.transpose(), hidden.pinned);
        });
  }

  SimgcdOptions options_;
};

}  // namespace

ClustererSpec simgcd_clusterer() {
  return clusterer_spec<SimgcdOptions, Simgcd>(
      "simgcd",
      "prototypes that learn from their own sharper answers about another view of a row, labelled "
      "rows from their classes, all groups kept in use",
      "O(n k d) time per epoch, O(n^2 d) once where views are neighbours; O(n d) memory",
      "Wen et al., Parametric Classification for Generalized Category Discovery: A Baseline Study, "
      "ICCV 2023");
}

}  // namespace tyto
