// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

class UnitLength final : public StatelessPart, public Representation {
 public:
  explicit UnitLength(NoOptions) {}

  [[nodiscard]] Matrix represent(const MatrixView& rows) const override {
    Matrix out = rows;
    for (Index i = 0; i < out.rows(); ++i) {
      // stableNorm: squares of large or tiny features leave the range of float.
      const float norm = out.row(i).stableNorm();
      if (norm > 0.0F) {
        out.row(i) /= norm;
      }
    }
    return out;
  }
};

}  // namespace

PartSpec l2_spec() {
  return part_spec<NoOptions, UnitLength>("l2", {Slot::representation},
                                          "features scaled to length 1; rows of zeros stay zeros",
                                          "O(n d) time, no memory");
}

}  // namespace tyto
