// SPDX-License-Identifier: Apache-2.0
// The sections of the page, in their order, from the list of the build file.
#include <algorithm>

#include "tyto/report/page/section.hpp"

namespace tyto {

#define TYTO_SECTION(kind) SectionSpec kind##_section();
#include "builtin_sections.inc"
#undef TYTO_SECTION

std::span<const SectionSpec> section_specs() {
  static const std::vector<SectionSpec> specs = [] {
    std::vector<SectionSpec> all;
#define TYTO_SECTION(kind) all.push_back(kind##_section());
#include "builtin_sections.inc"
#undef TYTO_SECTION
    std::stable_sort(all.begin(), all.end(),
                     [](const SectionSpec& a, const SectionSpec& b) { return a.order < b.order; });
    return all;
  }();
  return specs;
}

}  // namespace tyto
