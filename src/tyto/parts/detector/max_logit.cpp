// SPDX-License-Identifier: Apache-2.0
// The highest logit of a known class, negated.
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

class MaxLogit final : public StatelessPart, public Detector {
 public:
  explicit MaxLogit(NoOptions) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = true;
    return needs;
  }

  void detect(Evidence& evidence) const override {
    const Matrix known = known_part(evidence, evidence.logits, "detector max_logit");
    evidence.novelty.resize(static_cast<std::size_t>(known.rows()));
    Vector::Map(evidence.novelty.data(), known.rows()) = -known.rowwise().maxCoeff();
  }
};

}  // namespace

PartSpec max_logit_spec() {
  return part_spec<NoOptions, MaxLogit>(
      "max_logit", {Slot::detector}, "the highest logit of a known class, negated",
      "O(n k) time, no memory",
      "Vaze et al., Open-Set Recognition: A Good Closed-Set Classifier is All You Need, ICLR 2022");
}

}  // namespace tyto
