// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/feedback/ascending.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

class UncertainFirst final : public StatelessPart, public Requester {
 public:
  explicit UncertainFirst(NoOptions) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = true;
    return needs;
  }

  std::vector<Index> order(const Evidence& batch, Index, Work&) const override {
    if (batch.size() == 0) {
      return {};
    }
    const Matrix known = known_part(batch, batch.probability, "feedback uncertain_first");
    return ascending(known.rowwise().maxCoeff());
  }

  void drop_unused(Evidence& block) const override { keep_probability(block); }
};

}  // namespace

PartSpec uncertain_first_spec() {
  return part_spec<NoOptions, UncertainFirst>(
      "uncertain_first", {Slot::feedback},
      "rows whose most likely known class is least likely come first; ties to the lower row",
      "O(n (k + log n)) time, no memory",
      "Lewis & Gale, A Sequential Algorithm for Training Text Classifiers, SIGIR 1994");
}

}  // namespace tyto
