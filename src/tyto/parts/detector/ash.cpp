// SPDX-License-Identifier: Apache-2.0
// ASH: energy of the largest activations alone.
#include <array>
#include <cmath>

#include "tyto/parts/detector/activation_shaping.hpp"
#include "tyto/parts/detector/head_inputs.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 3> kAshForms{"b", "s", "p"};

struct AshOptions {
  std::string form = "b";
  double keep = 0.1;

  void describe(OptionVisitor& v) {
    v.field("form", form, kAshForms,
            "what becomes of the activations kept: b: all equal, with the sum of all before; s: "
            "times exp(sum of all before / sum of those kept); p: as they are");
    v.field("keep", keep, {0.02, 1.0}, "share of the activations kept, the largest; others are 0");
  }
};

// Sums are over activations above 0, which are all where the last layer follows a ReLU.
class ShapedActivations final : public StatelessPart, public Detector {
 public:
  explicit ShapedActivations(AshOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = needs.head = true;
    return needs;
  }

  void detect(Evidence& evidence) const override {
    const Dense<double> inputs = head_inputs(evidence).cast<double>();
    Dense<double> shaped = Dense<double>::Zero(inputs.rows(), inputs.cols());
    for (Index i = 0; i < inputs.rows(); ++i) {
      const std::span<const double> row(inputs.row(i).data(), at(inputs.cols()));
      const std::vector<Index> kept = largest_activations(row, options_.keep);
      const double before = sum_above_zero(row);
      double after = 0.0;
      for (const Index j : kept) {
        after += std::max(0.0, inputs(i, j));
      }
      const double factor =
          options_.form == "s" ? std::exp(after > 0.0 ? before / after : 1.0) : 1.0;
      for (const Index j : kept) {
        shaped(i, j) = options_.form == "b" ? before / static_cast<double>(kept.size())
                                            : factor * inputs(i, j);
      }
    }
    score_by_energy(evidence, shaped);
  }

 private:
  AshOptions options_;
};

}  // namespace

PartSpec ash_spec() {
  return part_spec<AshOptions, ShapedActivations>(
      "ash", {Slot::detector}, "energy of the largest activations alone, made equal or raised",
      "with m the width the last layer sees: O(n m k) to detect, no memory",
      "Djurisic et al., Extremely Simple Activation Shaping for Out-of-Distribution Detection, "
      "ICLR 2023");
}

}  // namespace tyto
