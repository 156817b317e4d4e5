// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <Eigen/Cholesky>

#include "tyto/math/covariance.hpp"
#include "tyto/parts/registry.hpp"
#include "tyto/parts/running_statistics.hpp"

namespace tyto {

namespace {

struct SldaOptions {
  double shrinkage = 0.0;
  std::string prior = "equal";

  void describe(OptionVisitor& v) {
    static constexpr std::string_view kPriors[] = {"equal", "counts"};
    v.field("shrinkage", shrinkage, {0.0, 1.0},
            "weight of a sphere in the shared covariance; 0: chosen from the data by OAS; the "
            "paper takes 1e-4");
    v.field("prior", prior, kPriors, "classes equally likely, or by their number of samples");
  }
};

// Logit of class c, with m the mean of the class means and S the shared covariance:
// (x - m)' S^-1 (mu_c - m) - (mu_c - m)' S^-1 (mu_c - m) / 2 + log prior. Taken about m, the
// discriminant does not move with the origin of the features; classes compare as in the paper.
class StreamingLda final : public Part, public Classifier {
 public:
  explicit StreamingLda(SldaOptions options) : options_(std::move(options)) {}

  void learn(const Experience& experience, Work& work) override {
    learn_statistics(statistics_, Scatter::full, experience, work);
    if (statistics_.classes() > 0) {
      solve();
    }
  }

  void classify(Evidence& evidence) const override {
    evidence.classes = class_labels(statistics_);
    if (evidence.classes.empty() || evidence.size() == 0) {
      evidence.logits = Matrix(evidence.size(), static_cast<Index>(evidence.classes.size()));
      return;
    }
    const Matrix shifted = evidence.features.rowwise() - centre_.row(0);
    evidence.logits = shifted * weights_;
    evidence.logits.rowwise() += bias_.row(0);
  }

  [[nodiscard]] bool has_head() const override { return true; }

  [[nodiscard]] bool has_gradient() const override { return true; }

  [[nodiscard]] LinearHead head() const override {
    return {weights_.transpose(), bias_ - centre_ * weights_, false};
  }

  [[nodiscard]] Matrix pull_back(const Evidence&, const Matrix& weight) const override {
    return weight * weights_.transpose();
  }

  void save(State& state) const override {
    statistics_.save(state.make_child("statistics"));
    state.set("centre", centre_);
    state.set("weights", weights_);
    state.set("bias", bias_);
  }

  void load(const State& state, const Shelf&) override {
    statistics_.load(state.child("statistics"));
    centre_ = state.get<Matrix>("centre");
    weights_ = state.get<Matrix>("weights");
    bias_ = state.get<Matrix>("bias");
  }

 private:
  void solve() {
    const Dense<double> means = statistics_.means();
    centre_ = means.colwise().mean().cast<float>();
    const Eigen::MatrixXd about = (means.rowwise() - centre_.row(0).cast<double>()).transpose();
    const auto factor = shrunk_factor(statistics_, options_.shrinkage, "slda");
    const Eigen::MatrixXd weights = factor.solve(about);
    Eigen::RowVectorXd bias = -0.5 * weights.cwiseProduct(about).colwise().sum();
    if (options_.prior == "counts") {
      const auto counts = statistics_.counts();
      for (Index c = 0; c < bias.size(); ++c) {
        bias[c] += std::log(static_cast<double>(counts[static_cast<std::size_t>(c)]) /
                            static_cast<double>(statistics_.count()));
      }
    }
    weights_ = weights.cast<float>();
    bias_ = bias.cast<float>();
  }

  SldaOptions options_;
  ClassStatistics statistics_{Scatter::full};
  Matrix centre_, weights_, bias_;
};

}  // namespace

PartSpec slda_spec() {
  return part_spec<SldaOptions, StreamingLda>(
      "slda", {Slot::classifier},
      "linear discriminants from running class means and one shared covariance",
      "O(n d^2) to learn and O(d^3) per lesson, O(n k d) to classify, O(d^2 + k d) memory",
      "Hayes & Kanan, Lifelong Machine Learning with Deep Streaming Linear Discriminant Analysis, "
      "CVPR Workshops 2020",
      "likelihood of one Gaussian per class with a shared covariance (closed form, streaming)");
}

}  // namespace tyto
