// SPDX-License-Identifier: Apache-2.0
// How little a sample is like the mean of the rightly classified of its class.
#include <map>

#include "tyto/parts/detector/head_inputs.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

// Minus z m_f, m_f the mean of the fit rows of class f that were classified rightly.
class StoredPatterns final : public Part, public Detector {
 public:
  explicit StoredPatterns(NoOptions) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = true;
    return needs;
  }

  // The classifier has moved, so all rows shown are looked at anew. A class of which none is shown
  // keeps its pattern.
  void profile(const Experience& experience, Work& work) override {
    struct Sum {
      Eigen::RowVectorXd right, all;
      double rights = 0, count = 0;
    };

    std::map<Label, Sum> sums;
    experience.each_block(Role::fit, 0, [&](const Evidence& block, std::span<const Label> labels) {
      const std::vector<Label> predicted = best_classes(block);
      const Matrix& inputs = head_inputs(block);
      for (Index i = 0; i < inputs.rows(); ++i) {
        Sum& sum = sums[labels[at(i)]];
        if (sum.all.size() == 0) {
          sum.all = sum.right = Eigen::RowVectorXd::Zero(inputs.cols());
        }
        sum.all += inputs.row(i).cast<double>();
        sum.count += 1.0;
        if (predicted[at(i)] == labels[at(i)]) {
          sum.right += inputs.row(i).cast<double>();
          sum.rights += 1.0;
        }
      }
      work.progress.pulse();
    });
    if (experience.starts_over()) {
      patterns_.clear();
    }
    for (const auto& [label, sum] :
         sums) {  // a class never recognised has the mean of all its rows
      patterns_[label] = sum.rights > 0.0 ? sum.right / sum.rights : sum.all / sum.count;
    }
  }

  void detect(Evidence& evidence) const override {
    if (patterns_.empty()) {
      throw Error(ErrorKind::state, "detector she has seen no labelled sample to fit on");
    }
    const std::vector<Label> predicted = best_classes(evidence);
    const Matrix& inputs = head_inputs(evidence);
    evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
    for (Index i = 0; i < evidence.size(); ++i) {
      const Eigen::RowVectorXd z = inputs.row(i).cast<double>();
      evidence.novelty[at(i)] = static_cast<float>(-likeness(z, predicted[at(i)]));
    }
  }

  void save(State& state) const override {
    std::vector<std::int64_t> labels;
    Dense<double> rows;
    for (const auto& [label, pattern] : patterns_) {
      rows.conservativeResize(std::ssize(labels) + 1, pattern.size());
      rows.row(std::ssize(labels)) = pattern;
      labels.push_back(static_cast<std::int64_t>(label));
    }
    state.set("labels", std::move(labels));
    state.set("patterns", std::move(rows));
  }

  void load(const State& state, const Shelf&) override {
    const auto& labels = state.get<std::vector<std::int64_t>>("labels");
    const auto& rows = state.get<Dense<double>>("patterns");
    patterns_.clear();
    for (std::size_t c = 0; c < labels.size(); ++c) {
      patterns_[static_cast<Label>(labels[c])] = rows.row(static_cast<Index>(c));
    }
  }

 private:
  static std::vector<Label> best_classes(const Evidence& evidence) {
    const std::vector<Index> columns = known_columns(evidence);
    const Matrix logits = known_part(evidence, evidence.logits, "detector she");
    std::vector<Label> best;
    for (Index i = 0; i < logits.rows(); ++i) {
      Index c = 0;
      logits.row(i).maxCoeff(&c);
      best.push_back(evidence.classes[at(columns[at(c)])]);
    }
    return best;
  }

  // To the class's pattern; one that was never shown has none, and the likest counts.
  [[nodiscard]] double likeness(const Eigen::RowVectorXd& z, Label label) const {
    if (const auto own = patterns_.find(label); own != patterns_.end()) {
      return z.dot(own->second);
    }
    double most = z.dot(patterns_.begin()->second);
    for (const auto& [other, pattern] : patterns_) {
      most = std::max(most, z.dot(pattern));
    }
    return most;
  }

  std::map<Label, Eigen::RowVectorXd> patterns_;
};

}  // namespace

PartSpec she_spec() {
  return part_spec<NoOptions, StoredPatterns>(
      "she", {Slot::detector},
      "how little a sample is like the mean of the rightly classified fit samples of its class",
      "with m the width the last layer sees: one classification of all samples shown to learn, "
      "O(n (m + k)) to detect, O(k m) memory",
      "Zhang et al., Out-of-Distribution Detection based on In-Distribution Data Patterns "
      "Memorization with Modern Hopfield Energy, ICLR 2023");
}

}  // namespace tyto
