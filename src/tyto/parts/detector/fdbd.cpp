// SPDX-License-Identifier: Apache-2.0
// Closeness to the decision boundaries, relative to the distance from the mean of all.
#include <algorithm>
#include <cmath>

#include "tyto/parts/detector/head_inputs.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr double kLeastLength = 1e-6;  // of the typical distance to the mean

// Minus the mean over the other classes c of (v_f - v_c) / |w_f - w_c|, the distance of z to the
// boundary between the predicted class f and c, divided by |z - mean of the fit rows|.
class BoundaryDistance final : public Part, public Detector {
 public:
  explicit BoundaryDistance(NoOptions) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = needs.head = true;
    return needs;
  }

  void profile(const Experience& experience, Work& work) override {
    learn_head_inputs(inputs_, Scatter::diagonal, experience, work);
    prepare();
  }

  void detect(Evidence& evidence) const override {
    if (mean_.size() == 0) {
      throw Error(ErrorKind::state, "detector fdbd has seen no labelled sample to fit on");
    }
    const Matrix logits = known_part(evidence, evidence.logits, "detector fdbd");
    evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
    if (evidence.size() == 0) {
      return;
    }
    const Vector length = (head_inputs(evidence).rowwise() - mean_.row(0)).rowwise().norm();
    const Matrix weight = known_head(evidence).weight;
    std::vector<Vector> apart(static_cast<std::size_t>(weight.rows()));  // |w_f - w_c| for each f
    for (Index i = 0; i < logits.rows(); ++i) {
      Index best = 0;
      const float top = logits.row(i).maxCoeff(&best);
      Vector& between = apart[static_cast<std::size_t>(best)];
      if (between.size() == 0) {
        between = (weight.rowwise() - weight.row(best)).rowwise().norm();
      }
      double sum = 0.0;
      Index others = 0;
      for (Index c = 0; c < logits.cols(); ++c) {
        if (between[c] > 0.0F) {  // equal weights have no boundary
          sum += (top - logits(i, c)) / between[c];
          ++others;
        }
      }
      // Where there is no boundary, the distance to the mean is all there is.
      evidence.novelty[static_cast<std::size_t>(i)] =
          others == 0 ? length[i]
                      : static_cast<float>(-sum / static_cast<double>(others) /
                                           std::max<double>(length[i], least_));
    }
  }

  void save(State& state) const override { inputs_.save(state); }

  void load(const State& state, const Shelf&) override {
    inputs_.load(state);
    prepare();
  }

 private:
  void prepare() {
    if (inputs_.count() == 0) {
      return;
    }
    mean_ = inputs_.means().cast<float>();
    const double typical =
        std::sqrt(inputs_.diagonal().sum() / static_cast<double>(inputs_.count()));
    least_ = typical > 0.0 ? kLeastLength * typical : kLeastLength;
  }

  ClassStatistics inputs_{Scatter::diagonal};
  Matrix mean_;
  double least_ = kLeastLength;
};

}  // namespace

PartSpec fdbd_spec() {
  return part_spec<NoOptions, BoundaryDistance>(
      "fdbd", {Slot::detector},
      "closeness to the decision boundaries, relative to the distance from the mean of all samples",
      "with m the width the last layer sees: O(n m) to learn, O(n (m + k) + k min(n, k) m) to "
      "detect, O(m) memory",
      "Liu & Qin, Fast Decision Boundary based Out-of-Distribution Detector, ICML 2024");
}

}  // namespace tyto
