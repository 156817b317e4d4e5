// SPDX-License-Identifier: Apache-2.0
// Distance to the nearest remembered sample over that to the nearest of another class.
#include "tyto/parts/detector/neighbour_ratio.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

class RatioDetector final : public StatelessPart, public Detector {
 public:
  explicit RatioDetector(NoOptions) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.neighbours = 1;
    needs.rivals = true;
    return needs;
  }

  void detect(Evidence& evidence) const override {
    evidence.novelty = neighbour_ratio(evidence, "detector osnn_ratio");
  }
};

}  // namespace

PartSpec osnn_ratio_spec() {
  return part_spec<NoOptions, RatioDetector>(
      "osnn_ratio", {Slot::detector},
      "distance to the nearest remembered sample over that to the nearest of another class",
      "O(n m d) time, the memory's m d",
      "Mendes Junior et al., Nearest neighbors distance ratio open-set classifier, Machine "
      "Learning "
      "106, 2017");
}

}  // namespace tyto
