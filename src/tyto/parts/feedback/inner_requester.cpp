// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/feedback/inner_requester.hpp"

#include <array>

namespace tyto {

void drop_what_all_drop(Evidence& block, std::span<const Nested<Requester>> inner) {
  constexpr std::array kMatrices{&Evidence::features, &Evidence::logits, &Evidence::embedding,
                                 &Evidence::probability, &Evidence::membership};
  std::array<bool, kMatrices.size()> wanted{};
  for (const Nested<Requester>& one : inner) {
    if (!one.as->looks_at_samples()) {
      continue;
    }
    Evidence copy = block;
    one.as->drop_unused(copy);
    for (std::size_t m = 0; m < kMatrices.size(); ++m) {
      wanted[m] = wanted[m] || (copy.*kMatrices[m]).size() > 0;
    }
  }
  for (std::size_t m = 0; m < kMatrices.size(); ++m) {
    if (!wanted[m]) {
      block.*kMatrices[m] = Matrix();
    }
  }
}

}  // namespace tyto
