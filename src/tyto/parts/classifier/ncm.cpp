// SPDX-License-Identifier: Apache-2.0
// The nearest class mean.
#include <array>

#include "tyto/math/distances.hpp"
#include "tyto/math/unit_rows.hpp"
#include "tyto/parts/registry.hpp"
#include "tyto/parts/running_statistics.hpp"

namespace tyto {

namespace {

struct NcmOptions {
  std::string metric = "euclidean";

  void describe(OptionVisitor& v) {
    static constexpr std::array<std::string_view, 2> kNcmMetrics{"euclidean", "cosine"};
    v.field("metric", metric, kNcmMetrics,
            "euclidean: distance to the mean; cosine: angle with it, as in SimpleCIL, which needs "
            "a meaningful origin of the features and gives no linear head");
  }
};

// Logit of class c: -|x - mu_c|^2 / (2 s^2), the log density of a sphere about the mean, with s^2
// the pooled within-class variance per dimension. By cosine x and mu_c are of unit length first,
// so that it is (cos - 1) / s^2, and s^2 is in units of the means' squared length.
class NearestClassMean final : public Part, public Classifier {
 public:
  explicit NearestClassMean(NcmOptions options) : by_cosine_(options.metric == "cosine") {}

  void learn(const Experience& experience, Work& work) override {
    learn_statistics(statistics_, Scatter::diagonal, experience, work);
    prepare();
  }

  void classify(Evidence& evidence) const override {
    evidence.classes = class_labels(statistics_);
    if (evidence.classes.empty() || evidence.size() == 0) {
      evidence.logits = Matrix(evidence.size(), static_cast<Index>(evidence.classes.size()));
      return;
    }
    Matrix shifted = by_cosine_ ? unit_rows(evidence.features) : evidence.features;
    shifted.rowwise() -= centre_.row(0);
    evidence.logits = squared_distances(shifted, means_) * factor_;
  }

  [[nodiscard]] bool has_head() const override { return !by_cosine_; }

  [[nodiscard]] bool has_gradient() const override { return !by_cosine_; }

  // |x - mu_c|^2 = |x|^2 - 2 x mu_c' + |mu_c|^2, all about the centre: |x|^2 is common to all.
  [[nodiscard]] LinearHead head() const override {
    const Matrix weight = (-2.0F * factor_) * means_;
    const Matrix bias = factor_ * means_.rowwise().squaredNorm().transpose();
    return {weight, bias - centre_ * weight.transpose(), false};
  }

  [[nodiscard]] Matrix pull_back(const Evidence& evidence, const Matrix& weight) const override {
    Matrix out = evidence.features.rowwise() - centre_.row(0);
    out.array().colwise() *= weight.rowwise().sum().array();
    out -= weight * means_;
    return (2.0F * factor_) * out;
  }

  void save(State& state) const override { statistics_.save(state); }

  void load(const State& state, const Shelf&) override {
    statistics_.load(state);
    prepare();
  }

 private:
  void prepare() {
    if (statistics_.classes() == 0) {
      return;
    }
    // Distances are taken about the middle of the means: far from it their squares would cancel.
    Dense<double> means = statistics_.means();
    const double squared_length = means.rowwise().squaredNorm().mean();
    if (by_cosine_) {
      for (Index c = 0; c < means.rows(); ++c) {
        means.row(c).normalize();  // zeros stay zeros
      }
    }
    const Eigen::RowVectorXd centre = means.colwise().mean();
    const Dense<double> about = means.rowwise() - centre;
    centre_ = centre.cast<float>();
    means_ = (means.rowwise() - centre_.row(0).cast<double>()).cast<float>();
    double variance = statistics_.variance();
    if (by_cosine_) {
      variance = squared_length > 0.0 ? variance / squared_length : 0.0;
    }
    if (!(variance > 0.0)) {  // one sample per class: the spread of the means stands in
      variance = about.squaredNorm() / static_cast<double>(about.size());
    }
    factor_ = static_cast<float>(-0.5 / (variance > 0.0 ? variance : 1.0));
  }

  bool by_cosine_;
  ClassStatistics statistics_{Scatter::diagonal};
  Matrix centre_, means_;
  float factor_ = 0.0F;
};

}  // namespace

PartSpec ncm_spec() {
  return part_spec<NcmOptions, NearestClassMean>(
      "ncm", {Slot::classifier},
      "nearest class mean; logits are log densities of equal spheres about the means",
      "O(n d) to learn, O(n k d) to classify, O(k d) memory",
      "Mensink et al., Distance-Based Image Classification: Generalizing to New Classes at "
      "Near-Zero Cost, PAMI 2013",
      "squared distance to the class means (closed form)");
}

}  // namespace tyto
