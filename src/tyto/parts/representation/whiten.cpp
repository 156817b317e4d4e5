// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>

#include "tyto/math/covariance.hpp"
#include "tyto/parts/registry.hpp"
#include "tyto/parts/running_statistics.hpp"

namespace tyto {

namespace {

struct WhitenOptions {
  double shrinkage = 0.0;

  void describe(OptionVisitor& v) {
    v.field("shrinkage", shrinkage, {0.0, 1.0},
            "weight of a sphere in the shared covariance; 0: chosen from the data by OAS");
  }
};

// x -> (x - m) L'^-1 with L L' = S, the covariance within classes that the first lesson shows.
// Later lessons leave it as it is, so that what stands on the features need not start again.
class Whiten final : public Part, public Representation {
 public:
  explicit Whiten(WhitenOptions options) : options_(options) {}

  bool adapt(const Experience& experience, Work& work) override {
    if (factor_.size() != 0) {
      return false;
    }
    ClassStatistics statistics(Scatter::full);
    learn_statistics(statistics, Scatter::full, experience, work);
    if (statistics.classes() == 0) {
      throw Error(ErrorKind::data, "representation whiten needs labelled samples to fit on");
    }
    const auto factor = shrunk_factor(statistics, options_.shrinkage, "whiten");
    factor_ = factor.matrixU()
                  .solve(Eigen::MatrixXd::Identity(factor.rows(), factor.cols()))
                  .cast<float>();
    mean_ = statistics.means().colwise().mean().cast<float>();
    return true;
  }

  [[nodiscard]] Matrix represent(const MatrixView& rows) const override {
    if (factor_.size() == 0) {
      throw Error(ErrorKind::state, "whiten was asked for features before its first lesson");
    }
    if (rows.rows() == 0) {
      return Matrix(0, factor_.cols());
    }
    return (rows.rowwise() - mean_.row(0)) * factor_;
  }

  void save(State& state) const override {
    state.set("mean", mean_);
    state.set("factor", factor_);
  }

  void load(const State& state, const Shelf&) override {
    mean_ = state.get<Matrix>("mean");
    factor_ = state.get<Matrix>("factor");
  }

 private:
  WhitenOptions options_;
  Matrix mean_, factor_;
};

}  // namespace

PartSpec whiten_spec() {
  return part_spec<WhitenOptions, Whiten>(
      "whiten", {Slot::representation},
      "features in which the classes of the first lesson spread alike in every direction, so that "
      "plain distances tell classes apart",
      "O(n d^2 + d^3) time at the first lesson, O(n d^2) later, O(d^2) memory",
      "within-class covariance normalisation: Hatch et al., Interspeech 2006");
}

}  // namespace tyto
