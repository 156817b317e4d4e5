// SPDX-License-Identifier: Apache-2.0
// What the main components of all fit samples leave of a sample.
#include "tyto/math/row_scatter.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

struct PcaResidualOptions {
  double variance = 0.9;

  void describe(OptionVisitor& v) {
    v.field("variance", variance, {0.0, 1.0},
            "the fewest components with this share of it span the familiar, at most all but one; "
            "the rest is residual");
  }
};

// |P (x - mean)|, P onto what the main components of the fit rows leave.
class PcaResidual final : public Part, public Detector {
 public:
  explicit PcaResidual(PcaResidualOptions options) : options_(options) {}

  void profile(const Experience& experience, Work& work) override {
    if (experience.starts_over()) {
      rows_ = RowScatter();
    }
    experience.each_block(Role::fit, experience.fresh(),
                          [&](const Evidence& block, std::span<const Label>) {
                            rows_.add(block.features);
                            work.progress.pulse();
                          });
    prepare();
  }

  void detect(Evidence& evidence) const override {
    if (mean_.size() == 0) {
      throw Error(ErrorKind::state, "detector pca_residual has seen no labelled sample to fit on");
    }
    evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
    if (evidence.size() > 0) {
      const Dense<double> off = evidence.features.cast<double>().rowwise() - mean_;
      Vector::Map(evidence.novelty.data(), evidence.size()) =
          (rows_.is_thin() ? residual_lengths(off, familiar_)
                           : Eigen::VectorXd((off * residual_).rowwise().norm()))
              .cast<float>();
    }
  }

  void save(State& state) const override { rows_.save(state); }

  void load(const State& state, const Shelf&) override {
    rows_.load(state);
    prepare();
  }

 private:
  // Of the statistics alone, so that a loaded part equals the saved one.
  void prepare() {
    if (rows_.count() == 0) {
      return;
    }
    mean_ = rows_.mean();
    const Spectrum spectrum = rows_.spectrum();
    const double needed = options_.variance * spectrum.values.cwiseMax(0.0).sum();
    const Index most = std::min(rows_.width() - 1, std::ssize(spectrum.values));
    double reached = 0.0;
    Index kept = 0;
    while (kept < most && reached < needed) {
      reached += std::max(0.0, spectrum.values[kept++]);
    }
    if (rows_.is_thin()) {
      familiar_ = spectrum.vectors.leftCols(kept);
    } else {
      residual_ = spectrum.vectors.rightCols(rows_.width() - kept);
    }
  }

  PcaResidualOptions options_;
  RowScatter rows_;
  Eigen::RowVectorXd mean_;
  Eigen::MatrixXd residual_;  // directions off the main ones
  Eigen::MatrixXd familiar_;  // the main ones instead, where the rows are fewer than columns
};

}  // namespace

PartSpec pca_residual_spec() {
  return part_spec<PcaResidualOptions, PcaResidual>(
      "pca_residual", {Slot::detector},
      "length of what the main components of all fit samples leave of a sample",
      "O(n d^2) to learn and O(d^3) per lesson, O(n d^2) to detect, O(d^2) memory; as long as n < "
      "d "
      "rows were learned O(n^2 d), O(n d) a row and O(n d)");
}

}  // namespace tyto
