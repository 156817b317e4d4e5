// SPDX-License-Identifier: Apache-2.0
// SCALE: energy of activations raised by how little of their sum the largest hold.
#include <cmath>

#include "tyto/parts/detector/activation_shaping.hpp"
#include "tyto/parts/detector/head_inputs.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

struct ScaleOptions {
  double keep = 0.15;

  void describe(OptionVisitor& v) {
    v.field("keep", keep, {0.02, 1.0},
            "share of the activations, the largest, whose sum divides the sum of all");
  }
};

// Energy of the activations times exp(sum of all / sum of the largest), sums over those above 0.
class ScaledActivations final : public StatelessPart, public Detector {
 public:
  explicit ScaledActivations(ScaleOptions options) : options_(options) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = needs.head = true;
    return needs;
  }

  void detect(Evidence& evidence) const override {
    Dense<double> shaped = head_inputs(evidence).cast<double>();
    for (Index i = 0; i < shaped.rows(); ++i) {
      const std::span<const double> row(shaped.row(i).data(), at(shaped.cols()));
      double largest = 0.0;
      for (const Index j : largest_activations(row, options_.keep)) {
        largest += std::max(0.0, shaped(i, j));
      }
      shaped.row(i) *= std::exp(largest > 0.0 ? sum_above_zero(row) / largest : 1.0);
    }
    score_by_energy(evidence, shaped);
  }

 private:
  ScaleOptions options_;
};

}  // namespace

PartSpec scale_spec() {
  return part_spec<ScaleOptions, ScaledActivations>(
      "scale", {Slot::detector},
      "energy of activations raised by how little of their sum the largest hold",
      "with m the width the last layer sees: O(n m k) to detect, no memory",
      "Xu et al., Scaling for Training Time and Post-hoc Out-of-distribution Detection "
      "Enhancement, "
      "ICLR 2024");
}

}  // namespace tyto
