// SPDX-License-Identifier: Apache-2.0
// How far the probabilities are from those usual for any predicted class.
#include <cmath>
#include <limits>

#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();  // log of 0

// Of all columns, `unknown` among them, in double: a probability of exp(-300) still counts.
Dense<double> log_probability(const Evidence& evidence) {
  Dense<double> out = evidence.logits.cast<double>();
  for (Index i = 0; i < out.rows(); ++i) {
    const double most = out.row(i).maxCoeff();
    out.row(i).array() -= most + std::log((out.row(i).array() - most).exp().sum());
  }
  return out;
}

double log_of_sum(double a, double b) {
  const double most = std::max(a, b);
  return most == kNever ? kNever : most + std::log1p(std::exp(std::min(a, b) - most));
}

// The least KL(p, d_c) over the classes c, d_c the mean p of the fit rows predicted as c.
class ProbabilityTemplates final : public Part, public Detector {
 public:
  explicit ProbabilityTemplates(NoOptions) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = true;
    return needs;
  }

  // The classifier has moved, so all rows shown are looked at anew.
  void profile(const Experience& experience, Work& work) override {
    Dense<double> sums;
    Eigen::VectorXd counts;
    std::vector<Label> classes;
    experience.each_block(Role::fit, 0, [&](const Evidence& block, std::span<const Label>) {
      const Dense<double> log_p = log_probability(block);
      if (classes.empty()) {
        classes = block.classes;
        sums.setConstant(log_p.cols(), log_p.cols(), kNever);
        counts.setZero(log_p.cols());
      }
      for (Index i = 0; i < log_p.rows(); ++i) {
        const Index best = predicted(block, log_p, i);
        for (Index c = 0; c < log_p.cols(); ++c) {
          sums(best, c) = log_of_sum(sums(best, c), log_p(i, c));
        }
        counts[best] += 1.0;
      }
      work.progress.pulse();
    });
    if (classes.empty()) {
      return;
    }
    std::vector<Index> met;  // classes that some row was taken for
    for (Index c = 0; c < counts.size(); ++c) {
      if (counts[c] > 0.0) {
        sums.row(c).array() -= std::log(counts[c]);
        met.push_back(c);
      }
    }
    templates_ = sums(met, Eigen::all);
    classes_ = std::move(classes);
  }

  void detect(Evidence& evidence) const override {
    if (classes_.empty()) {
      throw Error(ErrorKind::state, "detector kl_matching has seen no labelled sample to fit on");
    }
    evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
    if (evidence.size() == 0) {
      return;
    }
    if (evidence.classes != classes_) {
      throw Error(ErrorKind::state,
                  fmt::format("detector kl_matching was fitted with {} classes, and the classifier "
                              "now tells {} others apart",
                              classes_.size(), evidence.classes.size()));
    }
    const Dense<double> log_p = log_probability(evidence);
    const Dense<double> p = log_p.array().exp();
    const Dense<double> cross = p * templates_.transpose();
    for (Index i = 0; i < p.rows(); ++i) {
      const double own = p.row(i).dot(log_p.row(i));
      evidence.novelty[at(i)] = static_cast<float>(std::max(0.0, own - cross.row(i).maxCoeff()));
    }
  }

  void save(State& state) const override {
    std::vector<std::int64_t> labels;
    for (const Label label : classes_) {
      labels.push_back(static_cast<std::int64_t>(label));
    }
    state.set("classes", std::move(labels));
    state.set("templates", templates_);
  }

  void load(const State& state, const Shelf&) override {
    classes_.clear();
    for (const std::int64_t label : state.get<std::vector<std::int64_t>>("classes")) {
      classes_.push_back(static_cast<Label>(label));
    }
    templates_ = state.get<Dense<double>>("templates");
  }

 private:
  static Index predicted(const Evidence& evidence, const Dense<double>& log_p, Index row) {
    Index best = -1;
    for (Index c = 0; c < log_p.cols(); ++c) {
      if (evidence.classes[at(c)] != Label::unknown &&
          (best < 0 || log_p(row, c) > log_p(row, best))) {
        best = c;
      }
    }
    if (best < 0) {
      throw Error(ErrorKind::state,
                  "detector kl_matching needs a classifier that knows at least one class");
    }
    return best;
  }

  std::vector<Label> classes_;
  Dense<double> templates_;  // log d_c, a row per class that was met, a column per class
};

}  // namespace

PartSpec kl_matching_spec() {
  return part_spec<NoOptions, ProbabilityTemplates>(
      "kl_matching", {Slot::detector},
      "how far the probabilities are from those that fit samples of any one predicted class have "
      "in the mean",
      "one classification of all samples shown to learn, O(n k^2) to detect, O(k^2) memory",
      "Hendrycks et al., Scaling Out-of-Distribution Detection for Real-World Settings, ICML 2022");
}

}  // namespace tyto
