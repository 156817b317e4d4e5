// SPDX-License-Identifier: Apache-2.0
// The features as they are.
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

class Identity final : public StatelessPart, public Representation {
 public:
  explicit Identity(NoOptions) {}

  [[nodiscard]] Matrix represent(const MatrixView& rows) const override { return rows; }
};

}  // namespace

PartSpec identity_spec() {
  return part_spec<NoOptions, Identity>("identity", {Slot::representation},
                                        "the features as they are", "O(n d) time, no memory");
}

}  // namespace tyto
