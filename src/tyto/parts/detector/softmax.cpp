// SPDX-License-Identifier: Apache-2.0
// 1 minus the highest probability of a known class.
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

class SoftmaxDetector final : public StatelessPart, public Detector {
 public:
  explicit SoftmaxDetector(NoOptions) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = true;
    return needs;
  }

  void detect(Evidence& evidence) const override {
    const Matrix probability = own_probability(evidence);
    const Matrix known = known_part(evidence, probability, "detector softmax");
    const std::vector<Index> columns = known_columns(evidence);
    evidence.novelty.resize(static_cast<std::size_t>(known.rows()));
    for (Index i = 0; i < known.rows(); ++i) {
      // 1 - p loses all digits where p is nearly 1, and confident networks live there: the other
      // columns are added up instead.
      Index best = 0;
      known.row(i).maxCoeff(&best);
      const Index column = columns[static_cast<std::size_t>(best)];
      const auto row = probability.row(i);
      evidence.novelty[static_cast<std::size_t>(i)] =
          row.head(column).sum() + row.tail(row.size() - column - 1).sum();
    }
  }
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
