// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

class SoftmaxDetector final : public Part, public Detector {
 public:
  explicit SoftmaxDetector(NoOptions) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = true;
    return needs;
  }

  void detect(Evidence& evidence) const override {
    const Matrix known = known_part(evidence, evidence.probability, "detector softmax");
    evidence.novelty.resize(static_cast<std::size_t>(known.rows()));
    Vector::Map(evidence.novelty.data(), known.rows()) = 1.0F - known.rowwise().maxCoeff().array();
  }

  void save(State&) const override {}

  void load(const State&, const Shelf&) override {}
};

}  // namespace

PartSpec softmax_spec() {
  return part_spec<NoOptions, SoftmaxDetector>(
      "softmax", {Slot::detector}, "1 minus the highest probability of a known class",
      "O(n k) time, no memory",
      "Hendrycks & Gimpel, A Baseline for Detecting Misclassified and Out-of-Distribution Examples "
      "in Neural Networks, ICLR 2017");
}

}  // namespace tyto
