// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/feedback/ascending.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

class MarginOrder final : public StatelessPart, public Requester {
 public:
  explicit MarginOrder(NoOptions) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = true;
    return needs;
  }

  std::vector<Index> order(const Evidence& batch, Index, Work&) const override {
    if (batch.size() == 0) {
      return {};
    }
    const Matrix known = known_part(batch, batch.probability, "feedback margin");
    Vector margin(known.rows());
    for (Index i = 0; i < known.rows(); ++i) {
      float first = 0.0F;
      float second = 0.0F;  // also where there is one class only
      for (Index j = 0; j < known.cols(); ++j) {
        second = std::max(second, std::min(first, known(i, j)));
        first = std::max(first, known(i, j));
      }
      margin[i] = first - second;
    }
    return ascending(margin);
  }

  void drop_unused(Evidence& block) const override { keep_probability(block); }
};

}  // namespace

PartSpec margin_spec() {
  return part_spec<NoOptions, MarginOrder>(
      "margin", {Slot::feedback},
      "rows whose two most likely known classes are closest come first; ties to the lower row",
      "O(n (k + log n)) time, no memory",
      "Scheffer et al., Active Hidden Markov Models for Information Extraction, IDA 2001");
}

}  // namespace tyto
