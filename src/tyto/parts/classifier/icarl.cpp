// SPDX-License-Identifier: Apache-2.0
// iCaRL: rehearsal with distillation, and the nearest mean of what is remembered decides.
#include <array>
#include <map>

#include "tyto/math/distances.hpp"
#include "tyto/math/unit_rows.hpp"
#include "tyto/parts/incremental/network_learner.hpp"
#include "tyto/parts/incremental/teacher.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kDeciders{"mean", "outputs"};

struct IcarlOptions : LearnerOptions {
  double strength = 1.0, sharpness = 10.0;
  std::string decide = "mean";

  void describe(OptionVisitor& visitor) override {
    LearnerOptions::describe(visitor);
    visitor.field("strength", strength, {0, 1e6},
                  "weight of the distillation: binary cross-entropy between the old and the new "
                  "outputs, summed over the old classes");
    visitor.field("decide", decide, kDeciders,
                  "mean: the nearest mean of remembered samples, both of length 1; outputs: the "
                  "greatest output of the network");
    visitor.field("sharpness", sharpness, {1e-3, 1e6},
                  "of the belief: class scores are minus sharpness times the squared distance");
  }
};

class Icarl final : public NetworkLearner {
 public:
  explicit Icarl(IcarlOptions options)
      : NetworkLearner("icarl", icarl_), icarl_(std::move(options)) {}

  // A class of which nothing is remembered keeps the mean it had when it was last seen.
  void settle(const Experience& remembered, Work&) override {
    if (network() != nullptr) {
      take_means(remembered, 0);
      has_means_ = true;
    }
  }

 private:
  using Sums = std::map<Label, std::pair<Eigen::VectorXd, Index>>;

  void begin(const ClipLesson&) override {
    if (network() == nullptr) {
      means_.clear();
    }
    has_means_ = false;
    teacher_.take(network());
  }

  void plan(const ClipLesson&, Training& training) override {
    training.objective.distil = {icarl_.strength, DistilKind::sigmoid, 1.0};
  }

  void fill(const ClipLesson&, Rows, Batch& batch) const override {
    if (teacher_.is_there()) {
      batch.soft = teacher_.logits(batch.rows, icarl_.segments);
    }
  }

  // Means of all new clips, for a memory that keeps nothing of them.
  void finish(const ClipLesson& lesson, const Training&, Work&) override {
    teacher_.leave();
    Sums sums;
    constexpr Index kBlock = 1024;
    for (Index begin = lesson.fresh; begin < lesson.clips.size(); begin += kBlock) {
      std::vector<Index> rows;
      for (Index i = begin; i < std::min(begin + kBlock, lesson.clips.size()); ++i) {
        rows.push_back(lesson.clips.rows()[static_cast<std::size_t>(i)]);
      }
      Matrix embedding;
      (void)logits_of(lesson.experience.frame_features(rows), &embedding);
      std::vector<Label> labels;
      for (const Index row : rows) {
        labels.push_back(lesson.experience.labels()[static_cast<std::size_t>(row)]);
      }
      add(sums, embedding, labels);
    }
    take(sums);
    has_means_ = true;
  }

  void take_means(const Experience& experience, Index from) {
    Sums sums;
    experience.each_block(Role::fit, from,
                          [&](const Evidence& block, std::span<const Label> labels) {
                            add(sums, block.embedding, labels);
                          });
    take(sums);
  }

  static void add(Sums& sums, const Matrix& embedding, std::span<const Label> labels) {
    const Matrix units = unit_rows(embedding);
    for (Index i = 0; i < units.rows(); ++i) {
      auto& [sum, count] = sums[labels[static_cast<std::size_t>(i)]];
      if (count == 0) {
        sum = Eigen::VectorXd::Zero(units.cols());
      }
      sum += units.row(i).cast<double>().transpose();
      ++count;
    }
  }

  void take(const Sums& sums) {
    for (const auto& [label, sum] : sums) {
      means_[label] = unit_rows(
          Matrix((sum.first / static_cast<double>(sum.second)).cast<float>().transpose()));
    }
  }

  // What it decides by is not what the network would be derived of.
  [[nodiscard]] bool has_gradient() const override { return false; }

  void decide(Evidence& evidence) const override {
    if (icarl_.decide == "outputs" || !has_means_) {
      return;
    }
    Matrix means(std::ssize(classes()), evidence.embedding.cols());
    for (std::size_t c = 0; c < classes().size(); ++c) {
      const auto found = means_.find(classes()[c]);
      if (found == means_.end()) {  // a name without a sample to fit on: as far as can be
        means.row(static_cast<Index>(c)).setConstant(1e3F);
      } else {
        means.row(static_cast<Index>(c)) = found->second.row(0);
      }
    }
    evidence.logits = -static_cast<float>(icarl_.sharpness) *
                      squared_distances(unit_rows(evidence.embedding), means);
  }

  void save_more(State& state) const override {
    std::vector<Label> labels;
    Matrix rows(std::ssize(means_), means_.empty() ? 0 : means_.begin()->second.cols());
    for (const auto& [label, mean] : means_) {
      rows.row(std::ssize(labels)) = mean.row(0);
      labels.push_back(label);
    }
    save_labels(state, "mean_labels", labels);
    state.set("means", std::move(rows));
    state.set("has_means", std::int64_t{has_means_});
  }

  void load_more(const State& state, const Shelf&) override {
    means_.clear();
    const std::vector<Label> labels = load_labels(state, "mean_labels");
    const auto& rows = state.get<Matrix>("means");
    for (std::size_t i = 0; i < labels.size(); ++i) {
      means_[labels[i]] = rows.row(static_cast<Index>(i));
    }
    has_means_ = state.get<std::int64_t>("has_means") != 0;
  }

  IcarlOptions icarl_;
  Teacher teacher_;
  std::map<Label, Matrix> means_;  // one row of length 1 each
  bool has_means_ = false;         // they are of this network
};

}  // namespace

PartSpec icarl_spec() {
  return part_spec<IcarlOptions, Icarl>(
      "icarl", {Slot::classifier},
      "rehearsal with distillation of the old outputs; the nearest mean of remembered samples "
      "decides. Goes with memory herding. All forms let the old network answer on the very frames "
      "the new one sees; the released scripts ask it once before the task, and 0 for some samples",
      "learning O(epochs (n + m) segments weights), a third of it for the teacher; predicting "
      "O(segments weights + k d) a sample",
      "Rebuffi et al., iCaRL: Incremental Classifier and Representation Learning, CVPR 2017",
      "cross entropy and binary cross entropy to the old outputs");
}

}  // namespace tyto
