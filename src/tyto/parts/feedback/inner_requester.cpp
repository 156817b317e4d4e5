// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/feedback/inner_requester.hpp"

#include <array>

#include "tyto/core/error.hpp"

namespace tyto {

InnerRequester make_inner_requester(const ConfigNode& node, std::string_view path,
                                    const std::vector<std::string_view>& aside) {
  InnerRequester inner;
  inner.part = make_nested(Slot::feedback, node, path, aside);
  inner.requester = dynamic_cast<Requester*>(inner.part.get());
  TYTO_ASSERT(inner.requester != nullptr);
  return inner;
}

void drop_what_all_drop(Evidence& block, std::span<const InnerRequester> inner) {
  constexpr std::array kMatrices{&Evidence::features, &Evidence::logits, &Evidence::embedding,
                                 &Evidence::probability, &Evidence::membership};
  std::array<bool, kMatrices.size()> wanted{};
  for (const InnerRequester& one : inner) {
    if (!one.requester->looks_at_samples()) {
      continue;
    }
    Evidence copy = block;
    one.requester->drop_unused(copy);
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
