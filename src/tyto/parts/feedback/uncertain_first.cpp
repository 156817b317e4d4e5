// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/feedback/by_belief.hpp"

namespace tyto {

namespace {

class UncertainFirst final : public ByBelief {
 public:
  explicit UncertainFirst(NoOptions) : ByBelief("uncertain_first") {}

 private:
  [[nodiscard]] Vector certainty(const Matrix& known) const override {
    return known.rowwise().maxCoeff();
  }
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
