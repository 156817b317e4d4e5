// SPDX-License-Identifier: Apache-2.0
// How little a sample, seen from the mean of all, points along the weights of its class.
#include <algorithm>
#include <cmath>

#include "tyto/parts/detector/head_inputs.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr double kLeastOff = 1e-6;  // of the typical distance to the mean

struct NciOptions {
  double alpha = 1e-4;

  void describe(OptionVisitor& v) {
    v.field("alpha", alpha, {0.0, 1e3}, "weight of the sum of the activations' sizes");
  }
};

// Minus w_f (z - m) / |z - m| + alpha |z|_1: how far z, seen from the mean m of the fit rows,
// points along the weights of the predicted class f, and how active it is.
class CollapsedDirection final : public Part, public Detector {
 public:
  explicit CollapsedDirection(NciOptions options) : options_(options) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = needs.head = true;
    return needs;
  }

  void profile(const Experience& experience, Work& work) override {
    learn_head_inputs(inputs_, Scatter::diagonal, experience, work);
  }

  void detect(Evidence& evidence) const override {
    if (inputs_.count() == 0) {
      throw Error(ErrorKind::state, "detector nci has seen no labelled sample to fit on");
    }
    const Matrix logits = known_part(evidence, evidence.logits, "detector nci");
    evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
    if (evidence.size() == 0) {
      return;
    }
    const Eigen::RowVectorXd mean = inputs_.means().row(0);
    const double typical =
        std::sqrt(inputs_.diagonal().sum() / static_cast<double>(inputs_.count()));
    const double least = typical > 0.0 ? kLeastOff * typical : kLeastOff;
    const Dense<double> weight = known_head(evidence).weight.cast<double>();
    const Matrix& rows = head_inputs(evidence);
    for (Index i = 0; i < logits.rows(); ++i) {
      Index best = 0;
      logits.row(i).maxCoeff(&best);
      const Eigen::RowVectorXd z = rows.row(i).cast<double>();
      const Eigen::RowVectorXd off = z - mean;
      const double along = weight.row(best).dot(off) / std::max(off.norm(), least);
      evidence.novelty[at(i)] = static_cast<float>(-along - options_.alpha * z.cwiseAbs().sum());
    }
  }

  void save(State& state) const override { inputs_.save(state); }

  void load(const State& state, const Shelf&) override { inputs_.load(state); }

 private:
  NciOptions options_;
  ClassStatistics inputs_{Scatter::diagonal};
};

}  // namespace

PartSpec nci_spec() {
  return part_spec<NciOptions, CollapsedDirection>(
      "nci", {Slot::detector},
      "how little a sample, seen from the mean of all, points along the weights of its class",
      "with m the width the last layer sees: O(n m) to learn, O(n (m + k)) to detect, O(m) memory",
      "Liu & Qin, Detecting Out-of-Distribution Through the Lens of Neural Collapse, CVPR 2025");
}

}  // namespace tyto
