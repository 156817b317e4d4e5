// SPDX-License-Identifier: Apache-2.0
// Columns without correlation and of variance 1, by a shrunken covariance.
#include <cmath>
#include <map>

#include <Eigen/Cholesky>

#include "tyto/math/covariance.hpp"
#include "tyto/math/thin_spectrum.hpp"
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
// Where the rows are fewer than columns, S is a sphere but for the few directions V that rows have:
// x -> (x - m) S^-1/2 = (x - m) (a I + V (B - a I) V') then, the same up to a rotation.
class Whiten final : public Part, public Representation {
 public:
  explicit Whiten(WhitenOptions options) : options_(options) {}

  bool adapt(const Experience& experience, Work& work) override {
    if (mean_.size() != 0) {
      return false;
    }
    const std::vector<Index> rows = experience.labelled(Role::fit, 0);
    if (!rows.empty() && experience.features(Rows(rows).first(1)).cols() > std::ssize(rows)) {
      adapt_to_few(experience, rows);
      return true;
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
    if (mean_.size() == 0) {
      throw Error(ErrorKind::state, "whiten was asked for features before its first lesson");
    }
    if (rows.rows() == 0) {
      return Matrix(0, mean_.cols());
    }
    if (factor_.size() == 0) {
      const Matrix off = rows.rowwise() - mean_.row(0);
      return sphere_ * off + (off * axes_ * stretch_.row(0).asDiagonal()) * axes_.transpose();
    }
    return (rows.rowwise() - mean_.row(0)) * factor_;
  }

  void save(State& state) const override {
    state.set("mean", mean_);
    state.set("factor", factor_);
    if (mean_.size() != 0 && factor_.size() == 0) {
      state.set("axes", axes_);
      state.set("stretch", stretch_);
      state.set("sphere", double{sphere_});
    }
  }

  void load(const State& state, const Shelf&) override {
    mean_ = state.get<Matrix>("mean");
    factor_ = state.get<Matrix>("factor");
    if (state.has("axes")) {
      axes_ = state.get<Matrix>("axes");
      stretch_ = state.get<Matrix>("stretch");
      sphere_ = static_cast<float>(state.get<double>("sphere"));
    }
  }

 private:
  void adapt_to_few(const Experience& experience, const std::vector<Index>& rows) {
    Dense<double> off = experience.features(rows).cast<double>();
    std::map<Label, std::vector<Index>> members;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      members[experience.labels()[static_cast<std::size_t>(rows[i])]].push_back(
          static_cast<Index>(i));
    }
    Eigen::RowVectorXd centre = Eigen::RowVectorXd::Zero(off.cols());
    for (const auto& [label, own] : members) {
      const Eigen::RowVectorXd mean = off(own, Eigen::all).colwise().mean();
      for (const Index i : own) {
        off.row(i) -= mean;
      }
      centre += mean / static_cast<double>(members.size());
    }
    mean_ = centre.cast<float>();
    const auto freedom = static_cast<double>(std::max<Index>(1, off.rows() - std::ssize(members)));
    const Spectrum spectrum = thin_spectrum(off, freedom);
    const auto width = static_cast<double>(off.cols());
    const double radius = spectrum.values.sum() / width;
    if (!(radius > 0.0)) {  // without any spread: as they are
      sphere_ = 1.0F;
      axes_.resize(off.cols(), 0);
      stretch_.resize(1, 0);
      return;
    }
    const double e =
        options_.shrinkage > 0.0
            ? options_.shrinkage
            : oas_shrinkage(spectrum.values.sum(), spectrum.values.squaredNorm(), width, freedom);
    const double sphere = 1.0 / std::sqrt(e * radius);
    sphere_ = static_cast<float>(sphere);
    axes_ = spectrum.vectors.cast<float>();
    stretch_ = (((1.0 - e) * spectrum.values.array() + e * radius).rsqrt() - sphere)
                   .matrix()
                   .transpose()
                   .cast<float>();
  }

  WhitenOptions options_;
  Matrix mean_, factor_;   // the factor is empty where the rows of the first lesson were few
  Matrix axes_, stretch_;  // V, and the diagonal of B - a I as a row
  float sphere_ = 1.0F;    // a
};

}  // namespace

PartSpec whiten_spec() {
  return part_spec<WhitenOptions, Whiten>(
      "whiten", {Slot::representation},
      "features in which the classes of the first lesson spread alike in every direction, so that "
      "plain distances tell classes apart",
      "O(n d^2 + d^3) time at the first lesson, O(n d^2) later, O(d^2) memory; with m < d rows in "
      "the first lesson O(m^2 d), O(n m d) and O(m d)",
      "within-class covariance normalisation: Hatch et al., Interspeech 2006");
}

}  // namespace tyto
