// SPDX-License-Identifier: Apache-2.0
// ViM: energy of the logits and of a virtual one, the length outside the principal space.
#include <array>
#include <cmath>

#include <Eigen/QR>

#include "tyto/math/row_scatter.hpp"
#include "tyto/math/softmax.hpp"
#include "tyto/parts/detector/head_inputs.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kVimForms{"sound", "paper"};
constexpr Index kMostDimensions = 1000;
// Residuals below this share of the rows' length are rounding: training rows fill the space.
constexpr double kLeastResidual = 1e-5;

struct VimOptions {
  Index dimensions = 0;
  std::string form = "sound";

  void describe(OptionVisitor& v) {
    v.field("dimensions", dimensions, {0, 1e6},
            "of the principal space, the rest is residual; 0: half the width, at most 1000 (the "
            "paper takes 1000 of 2048 and 512 of 768)");
    v.field("form", form, kVimForms,
            "what a mean residual weighs: sound: the mean distance from a row's highest logit to "
            "its mean logit; paper: the mean highest logit, which has the wrong sign where logits "
            "are negative (ncm)");
  }
};

// alpha |P (z - o)| - log sum exp(logits), P onto the residual space, o where the logits vanish.
class VirtualLogit final : public Part, public Detector {
 public:
  explicit VirtualLogit(VimOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = needs.head = true;
    return needs;
  }

  void profile(const Experience& experience, Work& work) override {
    const auto head = learn_head_inputs(inputs_, experience, work);
    if (!head) {
      return;
    }
    find_residual_space(*head);
    double residual = 0.0;
    double length = 0.0;
    double top = 0.0;
    double spread = 0.0;
    Index rows = 0;
    experience.each_block(Role::fit, 0, [&](const Evidence& block, std::span<const Label>) {
      const Matrix known = known_part(block, block.logits, "detector vim");
      residual += residuals(block).cast<double>().sum();
      length +=
          (head_inputs(block).rowwise() - origin_.row(0)).rowwise().norm().cast<double>().sum();
      top += known.rowwise().maxCoeff().cast<double>().sum();
      spread += (known.rowwise().maxCoeff() - known.rowwise().mean()).cast<double>().sum();
      rows += known.rows();
      work.progress.pulse();
    });
    double scale = options_.form == "paper" ? top : spread;
    if (scale == 0.0) {  // one class
      scale = top == 0.0 ? static_cast<double>(rows) : std::abs(top);
    }
    const double least = kLeastResidual * length;
    alpha_ = residual > 0.0 || least > 0.0 ? scale / std::max(residual, least) : 1.0;
  }

  void detect(Evidence& evidence) const override {
    if (origin_.size() == 0) {
      throw Error(ErrorKind::state, "detector vim has seen no labelled sample to fit on");
    }
    evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
    if (evidence.size() > 0) {
      Vector::Map(evidence.novelty.data(), evidence.size()) =
          static_cast<float>(alpha_) * residuals(evidence) -
          log_sum_exp(known_part(evidence, evidence.logits, "detector vim"));
    }
  }

  void save(State& state) const override {
    inputs_.save(state.make_child("inputs"));
    state.set("origin", origin_);
    state.set("residual", residual_);
    state.set("principal", principal_);
    state.set("alpha", double{alpha_});
  }

  void load(const State& state, const Shelf&) override {
    inputs_.load(state.child("inputs"));
    origin_ = state.get<Matrix>("origin");
    residual_ = state.get<Matrix>("residual");
    principal_ = state.get<Matrix>("principal");
    alpha_ = state.get<double>("alpha");
  }

 private:
  void find_residual_space(const LinearHead& head) {
    const Eigen::MatrixXd weight = head.weight.cast<double>();
    const Eigen::VectorXd bias = head.bias.row(0).transpose().cast<double>();
    const Eigen::RowVectorXd origin =
        -Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(weight).solve(bias).transpose();
    const Spectrum spectrum = inputs_.spectrum_about(origin);
    const Index width = inputs_.width();
    const Index dimensions = options_.dimensions > 0 ? std::min(options_.dimensions, width)
                                                     : std::min(width / 2, kMostDimensions);
    origin_ = origin.cast<float>();
    if (inputs_.is_thin()) {  // directions no row has are all alike: they are residual
      principal_ = spectrum.vectors.leftCols(std::min(dimensions, std::ssize(spectrum.values)))
                       .cast<float>();
      residual_.resize(width, 0);
    } else {
      residual_ = spectrum.vectors.rightCols(width - dimensions).cast<float>();
      principal_.resize(width, 0);
    }
  }

  [[nodiscard]] Vector residuals(const Evidence& evidence) const {
    if (residual_.cols() == 0 && principal_.cols() == 0) {
      return Vector::Zero(evidence.size());
    }
    // In double: the origin may lie so far out that in float its rounding is all that is left.
    const Dense<double> off =
        head_inputs(evidence).cast<double>().rowwise() - origin_.row(0).cast<double>();
    if (principal_.cols() > 0) {
      return residual_lengths(off, principal_.cast<double>()).cast<float>();
    }
    return (off * residual_.cast<double>()).rowwise().norm().cast<float>();
  }

  VimOptions options_;
  RowScatter inputs_;
  Matrix origin_, residual_;
  Matrix principal_;  // instead of the residual space, where the rows are fewer than columns
  double alpha_ = 1.0;
};

}  // namespace

PartSpec vim_spec() {
  return part_spec<VimOptions, VirtualLogit>(
      "vim", {Slot::detector},
      "energy of the logits and of a virtual one, the length outside the principal space",
      "with m the width the last layer sees: O(n m^2) to learn and O(m^3) per lesson, O(n m^2) to "
      "detect, O(m^2) memory; as long as n < m rows were learned O(n^2 m), O(n m) a row and O(n m)",
      "Wang et al., ViM: Out-Of-Distribution with Virtual-logit Matching, CVPR 2022");
}

}  // namespace tyto
