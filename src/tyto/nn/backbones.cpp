// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/backbones.hpp"

#include <algorithm>
#include <iterator>

#include "tyto/core/named.hpp"

namespace tyto {

#define TYTO_BACKBONES(family) std::vector<BackboneSpec> family##_backbones();
#include "builtin_backbones.inc"
#undef TYTO_BACKBONES

std::span<const BackboneSpec> backbone_specs() {
  static const std::vector<BackboneSpec> specs = [] {
    std::vector<BackboneSpec> all;
    const auto add = [&](std::vector<BackboneSpec> family) {
      std::move(family.begin(), family.end(), std::back_inserter(all));
    };
#define TYTO_BACKBONES(family) add(family##_backbones());
#include "builtin_backbones.inc"
#undef TYTO_BACKBONES
    std::sort(all.begin(), all.end(),
              [](const BackboneSpec& a, const BackboneSpec& b) { return a.name < b.name; });
    return all;
  }();
  return specs;
}

const BackboneSpec& find_backbone(std::string_view name) {
  return find_named(backbone_specs(), "network", name);
}

}  // namespace tyto
