// SPDX-License-Identifier: Apache-2.0
// Features scaled to length one.
#include "tyto/math/unit_rows.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

class UnitLength final : public StatelessPart, public Representation {
 public:
  explicit UnitLength(NoOptions) {}

  [[nodiscard]] Matrix represent(const MatrixView& rows) const override { return unit_rows(rows); }
};

}  // namespace

PartSpec l2_spec() {
  return part_spec<NoOptions, UnitLength>("l2", {Slot::representation},
                                          "features scaled to length 1; rows of zeros stay zeros",
                                          "O(n d) time, no memory");
}

}  // namespace tyto
