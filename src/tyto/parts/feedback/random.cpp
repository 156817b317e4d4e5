// SPDX-License-Identifier: Apache-2.0
// A random order, by the seed.
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

class RandomOrder final : public StatelessPart, public Requester {
 public:
  explicit RandomOrder(NoOptions) {}

  std::vector<Index> order(const Evidence& batch, Index, Work& work) const override {
    return work.rng.permutation(batch.size());
  }

  [[nodiscard]] bool looks_at_samples() const override { return false; }
};

}  // namespace

PartSpec random_spec() {
  return part_spec<NoOptions, RandomOrder>("random", {Slot::feedback},
                                           "a random order, by the seed", "O(n) time, no memory");
}

}  // namespace tyto
