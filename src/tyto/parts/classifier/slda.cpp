// SPDX-License-Identifier: Apache-2.0
// Linear discriminants from running class means and one shared covariance.
#include <cmath>

#include <Eigen/Cholesky>

#include "tyto/math/covariance.hpp"
#include "tyto/parts/classifier/released_slda.hpp"
#include "tyto/parts/registry.hpp"
#include "tyto/parts/running_statistics.hpp"

namespace tyto {

namespace {

constexpr double kReleasedShrinkage = 1e-4;

struct SldaOptions {
  std::string form = "sound";
  double shrinkage = 0.0;
  std::string prior = "equal";

  void describe(OptionVisitor& v) {
    static constexpr std::string_view kForms[] = {"sound", "released"};
    static constexpr std::string_view kPriors[] = {"equal", "counts"};
    v.field("form", form, kForms,
            "sound: the pooled covariance, whatever the order of samples; released: the recursion "
            "of the authors' code, where the first sample of a class counts with its raw outer "
            "product, and the identity is mixed in instead of a sphere of the same size");
    v.field("shrinkage", shrinkage, {0.0, 1.0},
            "weight of a sphere in the shared covariance; 0: chosen from the data by OAS, in form "
            "released 1e-4 as in the paper");
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
    if (is_released()) {
      learn_released(experience, work);
    } else {
      learn_statistics(statistics_, Scatter::full, experience, work);
    }
    if (!labels().empty()) {
      solve();
    }
  }

  void classify(Evidence& evidence) const override {
    evidence.classes = labels();
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
    if (is_released()) {
      released_.save(state.make_child("released"));
    } else {
      statistics_.save(state.make_child("statistics"));
    }
    state.set("centre", centre_);
    state.set("weights", weights_);
    state.set("bias", bias_);
  }

  void load(const State& state, const Shelf&) override {
    if (is_released()) {
      released_.load(state.child("released"));
    } else {
      statistics_.load(state.child("statistics"));
    }
    centre_ = state.get<Matrix>("centre");
    weights_ = state.get<Matrix>("weights");
    bias_ = state.get<Matrix>("bias");
  }

 private:
  [[nodiscard]] bool is_released() const { return options_.form == "released"; }

  [[nodiscard]] std::vector<Label> labels() const {
    std::vector<Label> labels;
    for (const std::int32_t key : is_released() ? released_.keys() : statistics_.keys()) {
      labels.push_back(static_cast<Label>(key));
    }
    return labels;
  }

  void learn_released(const Experience& experience, Work& work) {
    if (experience.starts_over()) {
      released_ = {};
    }
    experience.each_block(Role::fit, experience.fresh(),
                          [&](const Evidence& block, std::span<const Label> given) {
                            std::vector<std::int32_t> keys;
                            for (const Label label : given) {
                              keys.push_back(static_cast<std::int32_t>(label));
                            }
                            released_.add(block.features, keys);
                            work.progress.pulse();
                          });
  }

  void solve() {
    const Dense<double> means = is_released() ? released_.means() : statistics_.means();
    centre_ = means.colwise().mean().cast<float>();
    if (is_released()) {
      centre_.setZero();
    }
    const Eigen::MatrixXd about = (means.rowwise() - centre_.row(0).cast<double>()).transpose();
    const auto factor =
        is_released() ? released_factor() : shrunk_factor(statistics_, options_.shrinkage, "slda");
    const Eigen::MatrixXd weights = factor.solve(about);
    Eigen::RowVectorXd bias = -0.5 * weights.cwiseProduct(about).colwise().sum();
    if (options_.prior == "counts") {
      const auto counts = is_released() ? released_.counts() : statistics_.counts();
      const auto all = static_cast<double>(is_released() ? released_.count() : statistics_.count());
      for (Index c = 0; c < bias.size(); ++c) {
        bias[c] += std::log(static_cast<double>(counts[at(c)]) / all);
      }
    }
    weights_ = weights.cast<float>();
    bias_ = bias.cast<float>();
  }

  [[nodiscard]] Eigen::LLT<Eigen::MatrixXd> released_factor() const {
    const double e = options_.shrinkage > 0.0 ? options_.shrinkage : kReleasedShrinkage;
    Eigen::MatrixXd covariance = (1.0 - e) * released_.covariance();
    covariance.diagonal().array() += e;
    Eigen::LLT<Eigen::MatrixXd> factor(covariance);
    if (factor.info() != Eigen::Success) {
      throw Error(ErrorKind::numeric,
                  fmt::format("slda in form released cannot invert the covariance of {} samples "
                              "in {} columns with shrinkage {}; raise it, or take form sound",
                              released_.count(), covariance.rows(), e));
    }
    return factor;
  }

  SldaOptions options_;
  ClassStatistics statistics_{Scatter::full};  // form sound
  ReleasedSldaMoments released_;               // form released
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
