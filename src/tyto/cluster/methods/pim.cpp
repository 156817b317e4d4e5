// SPDX-License-Identifier: Apache-2.0
// PIM: a linear head that tells as much of the rows as it can, labelled rows held to their class.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "tyto/cluster/labelled_rows.hpp"
#include "tyto/cluster/matrix_adam.hpp"
#include "tyto/math/softmax.hpp"

namespace tyto {

namespace {

constexpr float kLeastShare = 1e-12F;

struct PimOptions {
  GroupCountOptions count;
  double balance = 0.0;
  double sharpness = 10.0;
  double rate = 0.05;
  Index epochs = 200;
  Index starts = 5;

  void describe(OptionVisitor& v) {
    count.describe(v);
    v.field("balance", balance, {0.0, 1e3},
            "weight of the entropy of the group sizes: more makes them more alike; 0: the one of "
            "several under which classes whose labels are hidden are found again best");
    v.field("sharpness", sharpness, {1e-3, 1e6},
            "of the first assignment: a row at the mean distance from its centre scores minus half "
            "of it");
    v.field("rate", rate, {1e-6, 1e3}, "of learning, as a share of the mean distance to centres");
    v.field("epochs", epochs, {0, 1e6}, "steps over all rows");
    v.field("starts", starts, {1, 1e4}, "of the k-means it begins with");
  }
};

// Scores -sharpness / 2 |x - w|^2 + b, with rows at a mean squared distance of 1 from their centre.
struct BalancedHead {
  Matrix centres, bias;
};

class InformationMaximiser {
 public:
  InformationMaximiser(const Matrix& rows, std::span<const std::int32_t> pinned,
                       const PimOptions& options)
      : rows_(rows), pinned_(pinned.begin(), pinned.end()), options_(options) {
    free_ = std::count(pinned_.begin(), pinned_.end(), -1);
  }

  BalancedHead fit(const Matrix& centres, double balance, Progress& progress) const {
    BalancedHead head{centres, Matrix::Zero(1, centres.rows())};
    const double rate = options_.rate / std::sqrt(static_cast<double>(rows_.cols()));
    MatrixAdam move(rate);
    MatrixAdam lift(options_.rate);
    for (Index epoch = 0; epoch < options_.epochs && centres.rows() > 1; ++epoch) {
      progress.pulse();
      const Matrix slope = gradient(head, balance);
      const Eigen::RowVectorXf lifted = slope.colwise().sum();
      Matrix pull = slope.transpose() * rows_;
      pull -= lifted.transpose().asDiagonal() * head.centres;
      const double left = 0.5 * (1.0 + std::cos(std::numbers::pi * static_cast<double>(epoch) /
                                                static_cast<double>(options_.epochs)));
      move.step(head.centres, static_cast<float>(options_.sharpness) * pull, left);
      lift.step(head.bias, lifted, left);
    }
    return head;
  }

  [[nodiscard]] Matrix scores(const BalancedHead& head) const {
    const auto sharp = static_cast<float>(options_.sharpness);
    Matrix out = sharp * (rows_ * head.centres.transpose());
    out.rowwise() +=
        head.bias.row(0) - 0.5F * sharp * head.centres.rowwise().squaredNorm().transpose();
    return out;
  }

 private:
  // Of the loss by the scores: cross entropy of labelled rows, and of the others the entropy of
  // each less `balance` times that of their mean.
  [[nodiscard]] Matrix gradient(const BalancedHead& head, double balance) const {
    Matrix p = softmax(scores(head));
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(p.cols());
    for (Index i = 0; i < p.rows(); ++i) {
      if (pinned_[static_cast<std::size_t>(i)] < 0) {
        sum += p.row(i).cast<double>();
      }
    }
    const auto free = static_cast<float>(std::max<Index>(1, free_));
    const auto labelled = static_cast<float>(std::max<Index>(1, p.rows() - free_));
    const Eigen::RowVectorXf log_mean =
        (sum.cast<float>() / free).cwiseMax(kLeastShare).array().log();
    const auto weight = static_cast<float>(balance);
    for (Index i = 0; i < p.rows(); ++i) {
      auto row = p.row(i);
      if (const std::int32_t own = pinned_[static_cast<std::size_t>(i)]; own >= 0) {
        row(own) -= 1.0F;
        row /= labelled;
        continue;
      }
      const Eigen::RowVectorXf gain =
          weight * log_mean.array() - row.cwiseMax(kLeastShare).array().log();
      row = row.cwiseProduct((gain.array() - row.dot(gain)).matrix()) / free;
    }
    return p;
  }

  const Matrix& rows_;
  std::vector<std::int32_t> pinned_;
  const PimOptions& options_;
  Index free_ = 0;
};

class Pim final : public Clusterer {
 public:
  explicit Pim(PimOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Partitions cluster(const ClusterTask& task, Work& work) const override {
    if (task.rows.rows() == 0) {
      return {{Grouping()}, 0, {}, {}};
    }
    std::vector<std::string> notes;
    const LabelledRows labelled = labelled_rows(task, options_.count, notes, work);
    const Eigen::RowVectorXf shift = task.rows.cast<double>().colwise().mean().cast<float>();
    Matrix rows = task.rows.rowwise() - shift;
    const KMeansResult start =
        pinned_start(rows, labelled, options_.starts, work.rng.fork("groups"));
    const double within = start.inertia / static_cast<double>(rows.rows());
    const auto scale = static_cast<float>(within > 0.0 ? 1.0 / std::sqrt(within) : 1.0);
    rows *= scale;
    const double balance =
        options_.balance > 0.0 ? options_.balance : chosen_balance(rows, labelled, work);
    const InformationMaximiser maximiser(rows, labelled.pinned, options_);
    const BalancedHead head = maximiser.fit(start.centres * scale, balance, work.progress);
    const auto group = best_columns(maximiser.scores(head), labelled.pinned);
    const auto sharp = static_cast<float>(options_.sharpness);
    GroupScores model;
    model.shift = shift;
    model.weight = sharp * scale * head.centres;
    model.bias = head.bias - 0.5F * sharp * head.centres.rowwise().squaredNorm().transpose();
    return partition_of(group, std::move(model), labelled.groups, std::move(notes));
  }

 private:
  [[nodiscard]] double chosen_balance(const Matrix& rows, const LabelledRows& labelled,
                                      Work& work) const {
    return best_with_hidden_labels(
        rows, labelled, options_.starts, work.rng.fork("hidden"), 1.0, {0.5, 1.0, 2.0, 4.0},
        [&](const LabelledRows& hidden, const Matrix& centres, double balance) {
          const InformationMaximiser maximiser(rows, hidden.pinned, options_);
          const BalancedHead head = maximiser.fit(centres, balance, work.progress);
          return best_columns(maximiser.scores(head), hidden.pinned);
        });
  }

  PimOptions options_;
};

}  // namespace

ClustererSpec pim_clusterer() {
  return clusterer_spec<PimOptions, Pim>(
      "pim",
      "a linear head that tells as much of the rows as it can, labelled rows held to their class; "
      "how alike the sizes of groups are is found from the labels",
      "O(n k d) time per epoch, O(n (d + k)) memory",
      "Chiaroni et al., Parametric Information Maximization for Generalized Category Discovery, "
      "ICCV 2023");
}

}  // namespace tyto
