// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>

#include "tyto/math/covariance.hpp"
#include "tyto/math/distances.hpp"
#include "tyto/parts/registry.hpp"
#include "tyto/parts/running_statistics.hpp"

namespace tyto {

namespace {

struct MahalanobisOptions {
  double shrinkage = 0.0;

  void describe(OptionVisitor& v) {
    v.field("shrinkage", shrinkage, {0.0, 1.0},
            "weight of a sphere in the shared covariance; 0: chosen from the data by OAS");
  }
};

class Mahalanobis final : public Part, public Detector {
 public:
  explicit Mahalanobis(MahalanobisOptions options) : options_(options) {}

  void profile(const Experience& experience, Work& work) override {
    learn_statistics(statistics_, Scatter::full, experience, work);
    if (statistics_.classes() > 0) {
      solve();
    }
  }

  void detect(Evidence& evidence) const override {
    if (statistics_.classes() == 0) {
      throw Error(ErrorKind::state, "detector mahalanobis has seen no labelled sample to fit on");
    }
    if (evidence.size() == 0) {
      evidence.novelty.clear();
      return;
    }
    const Matrix whitened = (evidence.features.rowwise() - centre_.row(0)) * whitening_;
    evidence.novelty.resize(static_cast<std::size_t>(whitened.rows()));
    Vector::Map(evidence.novelty.data(), whitened.rows()) =
        squared_distances(whitened, means_).rowwise().minCoeff().cwiseSqrt();
  }

  void save(State& state) const override {
    statistics_.save(state.make_child("statistics"));
    state.set("centre", centre_);
    state.set("whitening", whitening_);
    state.set("means", means_);
  }

  void load(const State& state, const Shelf&) override {
    statistics_.load(state.child("statistics"));
    centre_ = state.get<Matrix>("centre");
    whitening_ = state.get<Matrix>("whitening");
    means_ = state.get<Matrix>("means");
  }

 private:
  // With S = L L', distances under S are plain ones between rows times L'^-1.
  void solve() {
    const Dense<double> means = statistics_.means();
    centre_ = means.colwise().mean().cast<float>();
    const auto factor = shrunk_factor(statistics_, options_.shrinkage, "mahalanobis");
    const Eigen::MatrixXd whitening =
        factor.matrixU().solve(Eigen::MatrixXd::Identity(factor.rows(), factor.cols()));
    whitening_ = whitening.cast<float>();
    means_ = ((means.rowwise() - centre_.row(0).cast<double>()) * whitening).cast<float>();
  }

  MahalanobisOptions options_;
  ClassStatistics statistics_{Scatter::full};
  Matrix centre_, whitening_, means_;  // means about the centre, whitened
};

}  // namespace

PartSpec mahalanobis_spec() {
  return part_spec<MahalanobisOptions, Mahalanobis>(
      "mahalanobis", {Slot::detector},
      "Mahalanobis distance to the nearest class mean under one shared covariance",
      "O(n d^2) to learn and O(d^3) per lesson, O(n d (d + k)) to detect, O(d^2 + k d) memory",
      "Lee et al., A Simple Unified Framework for Detecting Out-of-Distribution Samples and "
      "Adversarial Attacks, NeurIPS 2018");
}

}  // namespace tyto
