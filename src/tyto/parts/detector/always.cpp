// SPDX-License-Identifier: Apache-2.0
// Takes every sample for new: a floor to compare with.
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

class Always final : public StatelessPart, public Detector {
 public:
  explicit Always(NoOptions) {}

  void detect(Evidence& evidence) const override {
    evidence.novelty.assign(static_cast<std::size_t>(evidence.size()), 1.0F);
  }

  [[nodiscard]] std::optional<float> own_threshold() const override { return 0.0F; }
};

}  // namespace

PartSpec always_spec() {
  return part_spec<NoOptions, Always>("always", {Slot::detector},
                                      "takes every sample for new: a floor to compare with",
                                      "O(n) time, no memory");
}

}  // namespace tyto
